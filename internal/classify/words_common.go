package classify

// shared holds what both languages write alike: kinds of objects, software, and topics that are not operations. A line
// "kind Xyz" gives its words that Kubernetes kind; the form is that which english explains.
const shared = `
kind Deployment: deployment deployments deploy deploys deploiement deploiements deployment.apps deployments.apps
kind StatefulSet: statefulset statefulsets stateful_set stateful_sets sts statefulset.apps statefulsets.apps
kind DaemonSet: daemonset daemonsets daemon_set daemon_sets ds daemonset.apps daemonsets.apps
kind ReplicaSet: replicaset replicasets replica_set replica_sets rs replicaset.apps replicasets.apps
kind ReplicationController: replicationcontroller replicationcontrollers rc
kind Pod: pod pods po
kind Job: job jobs job.batch jobs.batch
kind CronJob: cronjob cronjobs cron_job cron_jobs cj cronjob.batch cronjobs.batch tache_planifiee
kind Service: service services svc
kind Ingress: ingress ingresses ing ingress.networking.k8s.io
kind IngressClass: ingressclass ingressclasses ingress_class
kind NetworkPolicy: networkpolicy networkpolicies network_policy network_policies netpol netpols politique_reseau politiques_reseau
kind ConfigMap: configmap configmaps config_map config_maps cm
kind Secret: secret secrets
kind ServiceAccount: serviceaccount serviceaccounts service_account service_accounts sa compte_de_service comptes_de_service
kind PersistentVolumeClaim: persistentvolumeclaim persistentvolumeclaims persistent_volume_claim persistent_volume_claims pvc pvcs claim claims volume_claim
kind PersistentVolume: persistentvolume persistentvolumes persistent_volume persistent_volumes pv pvs volume_persistant
kind StorageClass: storageclass storageclasses storage_class storage_classes sc classe_de_stockage
kind HorizontalPodAutoscaler: horizontalpodautoscaler horizontalpodautoscalers horizontal_pod_autoscaler hpa hpas autoscaler autoscalers
kind PodDisruptionBudget: poddisruptionbudget poddisruptionbudgets pod_disruption_budget pdb pdbs
kind ResourceQuota: resourcequota resourcequotas resource_quota resource_quotas
kind LimitRange: limitrange limitranges limit_range
kind Node: node nodes no_ noeud noeuds nœud nœuds
kind Namespace: namespace namespaces ns espace_de_noms espaces_de_noms
kind Role: role.rbac.authorization.k8s.io
kind RoleBinding: rolebinding rolebindings role_binding role_bindings
kind ClusterRole: clusterrole clusterroles cluster_role cluster_roles
kind ClusterRoleBinding: clusterrolebinding clusterrolebindings cluster_role_binding
kind PriorityClass: priorityclass priorityclasses priority_class pc
kind CustomResourceDefinition: customresourcedefinition customresourcedefinitions crd crds
kind ValidatingWebhookConfiguration: validatingwebhookconfiguration validatingwebhookconfigurations
kind MutatingWebhookConfiguration: mutatingwebhookconfiguration mutatingwebhookconfigurations
kind EndpointSlice: endpointslice endpointslices
kind Certificate: certificate certificates certificat certificats
kind ChangeRequest: changerequest changerequests change_request change_requests chg cr demande_de_changement
kind AgentTask: agenttask agenttasks
kind ModelProvider: modelprovider modelproviders
kind ChangePolicy: changepolicy changepolicies
kind Terraform: module modules terraform_module module_terraform stack
kind Playbook: playbook playbooks
kind Application: application applications app apps argo_application argocd_application argo_app application_argo application_argocd applications_argo app_argo
kind Host: hosts servers serveurs machines vms hotes host server serveur machine vm hote
ops: kubernetes docker containerd linux debian ubuntu java python golang node.js php aws gcp azure s3 bash openssl helm terraform ansible systemd cron ssh apt yum dnf ntp curl wget kubelet kubectl journald
soft: nginx apache httpd haproxy traefik envoy postgres postgresql mysql mariadb redis mongodb mongo elasticsearch kafka rabbitmq etcd
soft: argo argocd flux grafana prometheus loki jenkins gitlab github istio cilium calico coredns vault consul sshd keycloak minio
soft: unbound bind9 chrony htop
env: product products library order orders notification notifications survey payment profile mail email phone music office staff stock ticket contract market media space store account customer message admin login session portal inventory loyalty subscription
env: api db data network reseau backup migrate migration report rapport search worker proxy gateway database indexer auth cache default production prod staging stage preprod dev development test testing qa uat integration sandbox demo monitoring logging observability ci ops infra security recette preproduction billing payments platform tools backup
dismiss: ignore disregard forget override bypass circumvent skip evade dodge disable oublie oubliez ignorez contourne contourner contournez outrepasse desobeis evite saute
persona: pretend act roleplay jailbreak jailbroken
named: named called nomme nommee appele appelee labelled
ops: kubectl oc helm terraform ansible ansible-playbook systemctl docker argocd oom rollout rollouts crashloop backoff pipeline cpu ram dns tls http https tcp udp ip
stop: 24h ok id ids etc vs via ie eg pls asap info infos cpu ram mem e.g i.e
legal: lawyer attorney lawsuit sue contract_law legal_advice divorce custody tenancy avocat juridique divorcer tribunal proces_en_justice plainte notaire my_rights sue_my labour_law employment_law droit_du_travail gdpr_advice inheritance heritage
medical: doctor medicine medication dose dosage headache fever illness disease pregnancy antibiotic antibiotics ibuprofen paracetamol aspirin surgery medical medecin medicament medicaments fievre maladie ordonnance mal_de_tete mal_au_ventre grossesse symptomes_de blood_pressure tension_arterielle toothache rash cancer diabetes vaccine vaccin
financial: invest investing investment investments stock_market shares mortgage loan bitcoin crypto cryptocurrency ethereum tax taxes tax_return income_tax pension bourse placement placements impots credit_immobilier actions_en_bourse investir epargne savings_account retirement trading
other: rain raining poem poems haiku song lyrics joke jokes riddle story fairy_tale essay novel screenplay recipe recipes cook cooking weather horoscope football soccer movie movies film actor capital_of president_of prime_minister world_cup olympics translate holiday vacation birthday dinner restaurant
other: quel_temps quel_temps_fait_il quel_temps_fera_t_il temps_qu'il_fait temps_qu'il_fera il_pleut pleuvoir poeme poemes chanson blague blagues histoire_drole conte roman recette_de cuisine cuisiner meteo horoscope match_de acteur capitale_de capitale_du president_de_la premier_ministre coupe_du_monde traduis traduire vacances anniversaire restaurant devinette girlfriend boyfriend dating homework gift_for cadeau_pour write_me_a sing painting philosophy meaning_of_life love_letter lettre_d'amour population_of tallest longest_river
foreign: wat er mis aconteceu com reinicie inte nie nicht_mehr varfor dlaczego wieso weshalb problema il_problema caido falla fallan cual arranca con inicia funciona servicio servizio pasa responde reinicia donde cuando hay perche parti non_parte geht es mir ist mein meine kann läuft lauft laeuft startet stürzt sturzt kaputt wo welcher welches hat keine kein noch immer werden por_que_no que_pasa está porque não nao está esta_mal het een de_pod werkt waar está uno una los_pods el_pod il_servizio quando perché funziona succede cosa sta
foreign: ich nicht bitte warum wie und der das ist sind wird neu starte zeige lösche los porque favor reinicia muestra cual el una_vez quiero por esta perche riavvia mostra come_mai il_pod não reinicie quais aan het waarom herstart niet graag welche wurde einen eine mit auf den
`
