package wish

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/eclusier/eclusier/api/v1alpha1"
)

// object names an object that was found.
func object(apiVersion, kind, namespace, name string) v1alpha1.ObjectReference {
	return v1alpha1.ObjectReference{APIVersion: apiVersion, Kind: kind, Namespace: namespace, Name: name, UID: "uid"}
}

func TestWish_Operations(t *testing.T) {
	web := object("apps/v1", "Deployment", "shop", "web")
	report := object("batch/v1", "CronJob", "shop", "report")
	pod := object("v1", "Pod", "shop", "web-0")
	elsewhere := object("apps/v1", "Deployment", "pay", "web")
	node := object("v1", "Node", "", "worker-3")
	service := object("v1", "Service", "shop", "web")
	type all = []v1alpha1.ObjectReference
	const target = `{"target":{"apiVersion":"apps/v1","kind":"Deployment","namespace":"shop","name":"web"}`
	tests := []struct {
		text    string
		objects all
		current int32 // the replicas there are; -1 where they are not known
		want    string
		reason  Reason
	}{
		{text: "scale web to 3", objects: all{web}, current: -1, want: `[{"scale":` + target + `,"replicas":3}}]`},
		{text: "restart web", objects: all{web}, want: `[{"restart":` + target + `}}]`},
		{text: "restart deployment web in shop", objects: all{web}, want: `[{"restart":` + target + `}}]`},
		{text: "roll back web", objects: all{web}, want: `[{"undo":` + target + `}}]`},
		{text: "roll back web to revision 4", objects: all{web}, want: `[{"undo":` + target + `,"toRevision":4}}]`},
		{text: "set image of web to nginx:1.29", objects: all{web}, want: `[{"setImage":` + target + `,"image":"nginx:1.29"}}]`},
		{text: "set image of container app of web to nginx:1.29", objects: all{web}, want: `[{"setImage":` + target + `,"container":"app","image":"nginx:1.29"}}]`},
		{text: "delete pod web-0", objects: all{pod}, want: `[{"delete":{"target":{"apiVersion":"v1","kind":"Pod","namespace":"shop","name":"web-0"}}}]`},
		{text: "suspend report", objects: all{report}, want: `[{"suspend":{"target":{"apiVersion":"batch/v1","kind":"CronJob","namespace":"shop","name":"report"}}}]`},
		{text: "reprends le cronjob report", objects: all{report}, want: `[{"resume":{"target":{"apiVersion":"batch/v1","kind":"CronJob","namespace":"shop","name":"report"}}}]`},
		{text: "cordon worker-3", objects: all{node}, want: `[{"cordon":{"node":"worker-3"}}]`},
		{text: "uncordon worker-3", objects: all{node}, want: `[{"uncordon":{"node":"worker-3"}}]`},
		{text: "restart web and scale it to 3", objects: all{web}, want: `[{"restart":` + target + `}},{"scale":` + target + `,"replicas":3}}]`},

		{text: "double web", objects: all{web}, current: 3, want: `[{"scale":` + target + `,"replicas":6}}]`},
		{text: "halve web", objects: all{web}, current: 4, want: `[{"scale":` + target + `,"replicas":2}}]`},
		{text: "scale web up by 2", objects: all{web}, current: 3, want: `[{"scale":` + target + `,"replicas":5}}]`},
		{text: "scale web down by 2", objects: all{web}, current: 3, want: `[{"scale":` + target + `,"replicas":1}}]`},
		{text: "scale web from 3 to 5", objects: all{web}, current: 3, want: `[{"scale":` + target + `,"replicas":5}}]`},
		{text: "double web", objects: all{web}, current: -1, reason: ReplicasUnknown},
		{text: "double web", objects: all{web}, current: 0, reason: ReplicasUnknown},
		{text: "double web", objects: all{web}, current: 9000, reason: ReplicasUnknown},
		{text: "halve web", objects: all{web}, current: 3, reason: ReplicasUnknown},
		{text: "scale web down by 4", objects: all{web}, current: 3, reason: ReplicasUnknown},
		{text: "scale web from 2 to 5", objects: all{web}, current: 3, reason: ReplicasUnknown},

		{text: "restart it", objects: all{web}, want: `[{"restart":` + target + `}}]`},
		{text: "restart it", objects: all{web, report}, reason: NoTarget},
		{text: "restart it", reason: NoTarget},
		{text: "restart api", objects: all{web}, reason: OtherTarget},
		{text: "restart statefulset web", objects: all{web}, reason: OtherTarget},
		{text: "restart web", objects: all{web, service}, reason: Ambiguous},
		{text: "restart web", objects: all{elsewhere}, reason: OtherNamespace},
		{text: "restart web in pay", objects: all{elsewhere}, want: `[{"restart":{"target":{"apiVersion":"apps/v1","kind":"Deployment","namespace":"pay","name":"web"}}}]`},
		{text: "delete web", objects: all{web}, reason: KindNeeded},
		{text: "delete deployment web", objects: all{web}, want: `[{"delete":` + target + `}}]`},
		{text: "restart pod web-0", objects: all{pod}, reason: WrongKind},
		{text: "restart service web", objects: all{service}, reason: WrongKind},
		{text: "scale report to 3", objects: all{report}, reason: WrongKind},
		{text: "pause web", objects: all{web}, reason: WrongKind},
		{text: "scale svc/web to 3", objects: all{service}, reason: WrongKind},
		{text: "scale daemonset agent to 3", objects: all{object("apps/v1", "DaemonSet", "shop", "agent")}, reason: WrongKind},
		{text: "delete namespace shop", objects: all{object("v1", "Namespace", "", "shop")}, reason: TooWide},
		{text: "kubectl delete crd things.example.com", objects: all{object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", "things.example.com")}, reason: TooWide},
		{text: "reboot node worker-3", objects: all{node}, reason: WrongKind},
		{text: "relance le nœud worker-3", objects: all{node}, reason: WrongKind},
		{text: "restart the cronjob report", objects: all{report}, reason: WrongKind},
		{text: "passe le cronjob report à 3 réplicas", objects: all{report}, reason: WrongKind},
		{text: "suspend deploy/web", objects: all{web}, reason: WrongKind},
		{text: "relance l'ingress edge", objects: all{object("networking.k8s.io/v1", "Ingress", "shop", "edge")}, reason: WrongKind},
		{text: "restart web and scale report to 3", objects: all{web, report}, reason: WrongKind},
	}
	for _, tt := range tests {
		w, err := Read(tt.text)
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
			continue
		}
		asked := false
		got, err := w.Operations(Objects{All: tt.objects, Home: "shop", Replicas: func(v1alpha1.ObjectReference) (int32, bool) {
			asked = true
			return tt.current, tt.current >= 0
		}})
		if asked && !w.CountsReplicas() {
			t.Errorf("%q: the number of replicas was asked for, and is not wanted", tt.text)
		}
		var why *InexpressibleError
		switch {
		case tt.reason != "":
			if !errors.As(err, &why) || why.Reason != tt.reason || got != nil {
				t.Errorf("%q: %v with %v, want %s", tt.text, err, got, tt.reason)
			}
			continue
		case err != nil:
			t.Errorf("%q: %v", tt.text, err)
			continue
		}
		text, err := json.Marshal(got)
		if err != nil || string(text) != tt.want {
			t.Errorf("%q is\n%s\nwant\n%s", tt.text, text, tt.want)
		}
	}
}
