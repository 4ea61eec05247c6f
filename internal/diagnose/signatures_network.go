package diagnose

// networkSignatures are the ways in which programs word what went wrong between them and what they call.
var networkSignatures = []signature{}
