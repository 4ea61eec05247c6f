package change

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Bundle is a plan with what is shown beside it, as it is kept: what is executed, and what is restored from.
type Bundle struct {
	Plan Plan `json:"plan"`
	View View `json:"view"`
}

// Encode writes the bundle as it is kept.
func (b Bundle) Encode() ([]byte, error) {
	content, err := json.Marshal(b)
	if err != nil {
		return nil, fmt.Errorf("writing the plan: %w", err)
	}
	return content, nil
}

// ContentDigest is the SHA-256 of what Encode wrote, by which it is known again, what is shown included.
func ContentDigest(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// DecodeBundle reads what Encode wrote. Whether it is the plan that people agreed to is for the caller to ask its digest.
func DecodeBundle(content []byte) (Bundle, error) {
	var b Bundle
	if err := json.Unmarshal(content, &b); err != nil {
		return Bundle{}, fmt.Errorf("reading the stored plan: %w", err)
	}
	return b, nil
}
