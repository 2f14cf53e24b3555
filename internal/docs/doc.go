// Package docs holds no code, only tests: what the pages name must exist.
//
// Hard rule: a check without a made-up page that it complains of does not count.
package docs
