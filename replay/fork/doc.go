// Package fork starts the workers of a replay quickly (--fast): an interpreter of Python or
// Ruby loads once what is installed, and each worker is a fork of it. The files that the
// interpreters load are here, too.
//
// Hard rule: a forked worker is what one that is started cold would be. Where that cannot be
// told, workers are started cold, and it is said why.
package fork
