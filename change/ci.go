package change

import "io/fs"

// ci is an entry that replays the new code: as a workflow where the repository has those of
// GitHub, or else as a text to include.
func ci(repository fs.FS) File {
	const what = "replays the new code in CI"
	if has(repository, ".gitlab-ci.yml") {
		return File{"twiceproof/gitlab-ci.yml", fill("gitlab.yml.tmpl", filling{}), what + "; include it in .gitlab-ci.yml"}
	}
	return File{".github/workflows/twiceproof.yml", fill("github.yml.tmpl", filling{}), what}
}
