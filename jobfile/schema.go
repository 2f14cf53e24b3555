package jobfile

import _ "embed"

// Schema is the JSON Schema of the job file, for editors.
//
//go:embed twiceproof.schema.json
var Schema []byte

// ReplaySchema is the JSON Schema of the replay file, for editors.
//
//go:embed twiceproof.replay.schema.json
var ReplaySchema []byte
