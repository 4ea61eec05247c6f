package v1alpha1

// ClassifiedIntent is what a task was taken for.
//
// +kubebuilder:validation:Enum=Diagnostic;Change;Ambiguous
type ClassifiedIntent string

const (
	// ClassifiedDiagnostic is a question.
	ClassifiedDiagnostic ClassifiedIntent = "Diagnostic"
	// ClassifiedChange is a wish to change something.
	ClassifiedChange ClassifiedIntent = "Change"
	// ClassifiedAmbiguous is a prompt from which the intent cannot be told.
	ClassifiedAmbiguous ClassifiedIntent = "Ambiguous"
)

// ClassificationSource says who decided.
//
// +kubebuilder:validation:Enum=Explicit;Rule;Model;Human
type ClassificationSource string

const (
	// SourceExplicit is spec.intent.
	SourceExplicit ClassificationSource = "Explicit"
	// SourceRule is the ordered rules.
	SourceRule ClassificationSource = "Rule"
	// SourceModel is the fast model.
	SourceModel ClassificationSource = "Model"
	// SourceHuman is a person who was asked.
	SourceHuman ClassificationSource = "Human"
)

// Classification is what a task was taken for, and why.
type Classification struct {
	// intent is what the task was taken for.
	//
	// +required
	Intent ClassifiedIntent `json:"intent,omitempty"`

	// confidence in the intent, 0 to 1. Strictly below 0.7 the task is not classified.
	//
	// +required
	Confidence Decimal `json:"confidence,omitempty"`

	// source says who decided.
	//
	// +required
	Source ClassificationSource `json:"source,omitempty"`

	// rules are the names of the rules that fired, the deciding one first.
	//
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=63
	Rules []string `json:"rules,omitempty"`

	// inScope is false for what is not operations work.
	//
	// +required
	InScope bool `json:"inScope"`

	// scopeReason says why the task is out of scope.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	ScopeReason string `json:"scopeReason,omitempty"`

	// language is the language of the answer, such as "en" or "fr".
	//
	// +optional
	// +kubebuilder:validation:MinLength=2
	// +kubebuilder:validation:MaxLength=35
	Language string `json:"language,omitempty"`
}
