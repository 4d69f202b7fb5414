// Package samples holds the seven small images that come with segscan, one for each kind of picture it is used on.
// They are drawn by the program in generate/ and are right under the default kernel.
package samples

import (
	"embed"
	"io/fs"
)

//go:generate go run ./generate -o .

//go:embed *.png *.tif
var files embed.FS

// Files is a folder that holds the sample images and nothing else.
func Files() fs.FS { return files }
