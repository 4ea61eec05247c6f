// Package kubernetes is the pipeline that changes objects of the cluster that eclusier runs in.
//
// It resolves operations into effects, dry-runs them as eclusier-planner, and carries out what was stored, byte for byte,
// as the change's service account. It decides nothing about consent: package change does.
//
// What holds everywhere:
//
//   - Reads are made as eclusier-planner of the change's namespace (events and diagnoses as eclusier-reader), effects as the
//     change's service account. Only Namespaces are read as the operator itself: policies are chosen by them anyway.
//   - An effect is sent on the condition that the object has the uid that was planned for and the resourceVersion of a
//     read that was made just before and found the content that was planned for. The two are put into the body that was
//     approved; nothing else is. What only moves on by itself (status, and the annotations that package manifest knows) is
//     no change of the content.
//   - Planning twice over the same objects gives the same plan. Values that the API server chooses by chance are found by
//     asking it twice, and are left out of the hash. The moment of a restart is that of the ChangeRequest's creation.
//   - The way back is computed when planning, from the object as it is and the dry run: a JSON patch over the fields that
//     the change sets, which tests each of them first. It fights nobody's fields: what others changed beside it stays, and
//     where they changed the same field the rollback stops with pipeline.ObjectChanged instead of overwriting it. A
//     replacement of the whole object would undo what controllers and people did meanwhile, and fail each time the status
//     moves.
//   - No value of a Secret is read, stored, shown or sent.
//   - A field that another field manager owns is not taken over by an apply, except from people's own kubectl and from
//     eclusier itself, and then the plan says so.
package kubernetes
