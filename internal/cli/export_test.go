package cli

import "time"

// ShortenRewatch makes a watch that broke off be opened again at once.
func ShortenRewatch() { rewatch = time.Millisecond }
