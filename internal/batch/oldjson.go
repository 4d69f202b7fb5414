package batch

import (
	"encoding/json"
	"io"
	"strings"
)

// oldJSON is oldRecordsOf of JSON records: their first page up to its first segment.
func (c *Config) oldJSON(in io.Reader) *oldRecords {
	d := json.NewDecoder(in)
	begin, err := d.Token()
	if begin == json.Delim('[') { // of several pages
		begin, err = d.Token()
	}
	if err != nil || begin != json.Delim('{') {
		return nil
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil
		}
		if key == "segments" {
			break
		}
		var other json.RawMessage
		if d.Decode(&other) != nil {
			return nil
		}
	}
	if list, err := d.Token(); err != nil || list != json.Delim('[') || !d.More() {
		return nil
	}
	var segment map[string]json.RawMessage
	if d.Decode(&segment) != nil {
		return nil
	}
	has := func(name string) bool { _, ok := segment[name]; return ok }
	o := *c
	o.AllSpans, o.Subsample = has("activated"), has("start_x")
	r := &oldRecords{columns: o.columns(has("unit"))}
	for _, name := range r.columns {
		r.first = append(r.first, strings.Trim(string(segment[name]), `"`)) // units are words of letters
	}
	return r
}
