package diagnose

import (
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

var (
	quotaMessage     = regexp.MustCompile(`exceeded quota: ([\w.-]+), requested: (.+?), used: (.+?), limited: ([^\n]+)`)
	quotaMustSpecify = regexp.MustCompile(`failed quota: ([\w.-]+): must specify ([^\n]+)`)
)

var quotaExceeded = cause{
	id: "QuotaExceeded", severity: High,
	check: func(x *exam) {
		for _, r := range x.denials() {
			if m := quotaMessage.FindStringSubmatch(r.message); m != nil {
				x.add(x.quotaFull(r, m))
			} else if m := quotaMustSpecify.FindStringSubmatch(r.message); m != nil {
				f := x.refused(r, "QuotaExceeded", r.work.ref)
				f.links.affects = append(f.links.affects, ref("ResourceQuota", r.work.namespace(), m[1]))
				f.Message = x.say("QuotaExceeded.specify", r.work.ref.String(), m[1], m[2])
				f.Fix = x.say("QuotaExceeded.fixSpecify", r.work.ref.String(), m[2])
				x.add(f)
			}
		}
	},
	texts: texts{
		english: map[string]string{
			"QuotaExceeded.message":    "ResourceQuota %[1]s leaves no room for the pods of %[2]s (requested %[3]s; used %[4]s of %[5]s)",
			"QuotaExceeded.fix":        "Raise ResourceQuota %[1]s, free what else uses it, or let %[2]s need less (for a rollout: maxSurge 0). How much the namespace may use is its owners' decision.",
			"QuotaExceeded.objects":    "ResourceQuota %[1]s leaves no room for what %[2]s has to create (requested %[3]s; used %[4]s of %[5]s)",
			"QuotaExceeded.fixObjects": "Remove objects of that kind that nobody needs any more (finished Jobs: ttlSecondsAfterFinished), or raise ResourceQuota %[1]s; %[2]s goes on by itself then.",
			"QuotaExceeded.specify":    "ResourceQuota %[2]s refuses the pods of %[1]s because they do not state %[3]s",
			"QuotaExceeded.fixSpecify": "State %[2]s in the containers of %[1]s, or give the namespace a LimitRange with defaults.",
		},
		french: map[string]string{
			"QuotaExceeded.message":    "La ResourceQuota %[1]s ne laisse pas de place aux pods de %[2]s (demandé %[3]s ; utilisé %[4]s sur %[5]s)",
			"QuotaExceeded.fix":        "Augmentez la ResourceQuota %[1]s, libérez ce qui l'occupe, ou réduisez les besoins de %[2]s (pour un déploiement : maxSurge 0). Ce que l'espace de noms peut utiliser est la décision de ses responsables.",
			"QuotaExceeded.objects":    "La ResourceQuota %[1]s ne laisse pas de place à ce que %[2]s doit créer (demandé %[3]s ; utilisé %[4]s sur %[5]s)",
			"QuotaExceeded.fixObjects": "Supprimez les objets de ce genre dont personne n'a plus besoin (Jobs finis : ttlSecondsAfterFinished), ou augmentez la ResourceQuota %[1]s ; %[2]s continuera de lui-même.",
			"QuotaExceeded.specify":    "La ResourceQuota %[2]s refuse les pods de %[1]s parce qu'ils n'indiquent pas %[3]s",
			"QuotaExceeded.fixSpecify": "Indiquez %[2]s dans les conteneurs de %[1]s, ou donnez à l'espace de noms une LimitRange avec des valeurs par défaut.",
		},
	},
}

// countsPods recognises what a quota may limit of pods, in contrast to the number of other objects.
var countsPods = regexp.MustCompile(`(?:^|,)(?:pods|count/pods|(?:requests|limits)\.(?:cpu|memory|ephemeral-storage)|cpu|memory|(?:requests\.)?[\w.-]+/[\w.-]*gpu[\w.-]*)=`)

func (x *exam) quotaFull(r denial, m []string) Finding {
	at := ref("ResourceQuota", r.work.namespace(), m[1])
	f := x.refused(r, "QuotaExceeded", at)
	f.Message = x.say("QuotaExceeded.message", m[1], r.work.ref.String(), amounts(m[2]), amounts(m[3]), amounts(m[4]))
	f.Fix = x.say("QuotaExceeded.fix", m[1], r.work.ref.String())
	if !countsPods.MatchString(m[2]) {
		f.Message = x.say("QuotaExceeded.objects", m[1], r.work.ref.String(), amounts(m[2]), amounts(m[3]), amounts(m[4]))
		f.Fix = x.say("QuotaExceeded.fixObjects", m[1], r.work.ref.String())
	}
	if q := get[*corev1.ResourceQuota](x.index, "ResourceQuota", at.Namespace, at.Name); q != nil {
		for _, one := range strings.Split(m[4], ",") {
			name, _, _ := strings.Cut(one, "=")
			if hard, ok := q.Status.Hard[corev1.ResourceName(name)]; ok {
				used := q.Status.Used[corev1.ResourceName(name)]
				f.Evidence = append(f.Evidence, field(at, "status.hard."+escapeDots(name), hard.String()), field(at, "status.used."+escapeDots(name), used.String()))
			}
		}
	}
	return f
}

func amounts(list string) string { return strings.ReplaceAll(list, ",", ", ") }

// escapeDots keeps a dotted resource name together as the last element of a path.
func escapeDots(name string) string { return strings.ReplaceAll(name, ".", "\\.") }
