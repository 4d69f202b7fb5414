package cli

import (
	"fmt"
	"sort"
	"strings"

	"segscan/kernels"
)

const completionHelp = `prints a completion script for bash, zsh, fish or powershell

  bash        source <(segscan completion bash)
  zsh         segscan completion zsh > "${fpath[1]}/_segscan"
  fish        segscan completion fish > ~/.config/fish/completions/segscan.fish
  powershell  segscan completion powershell | Out-String | Invoke-Expression
`

// completer is what a completion script is made from.
type completer struct {
	flags    []flagInfo
	commands []command
	args     map[string][]string // what a command's argument may be
}

func newCompleter() *completer {
	var names []string
	for _, k := range kernels.List() {
		names = append(names, k.Name)
	}
	c := &completer{commands: commands(), args: map[string][]string{"kernels": names, "completion": shells()}}
	for _, g := range mainFlags(&options{}).groups {
		for _, f := range g.flags {
			if f.name == "kernel" {
				f.allowed = names
			}
			c.flags = append(c.flags, f)
		}
	}
	return c
}

var shellScripts = map[string]func(*completer) string{
	"bash": (*completer).bash, "zsh": (*completer).zsh, "fish": (*completer).fish, "powershell": (*completer).powershell,
}

func shells() []string {
	var names []string
	for n := range shellScripts {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

func (a *app) completion(args []string) error {
	if len(args) == 0 {
		return &usageError{"completion needs a shell; allowed: " + strings.Join(shells(), ", "), "segscan completion --help"}
	}
	script, ok := shellScripts[args[0]]
	if !ok {
		return &usageError{fmt.Sprintf("no completion for %q; allowed: %s", args[0], strings.Join(shells(), ", ")), didYouMean(args[0], "", shells())}
	}
	return a.print(script(newCompleter()))
}

// spellings of a flag: --out, and -o if it has a letter.
func (f flagInfo) spellings() []string {
	if f.short != "" {
		return []string{"--" + f.name, "-" + f.short}
	}
	return []string{"--" + f.name}
}

func (c *completer) commandNames() []string {
	names := make([]string, len(c.commands))
	for i, cmd := range c.commands {
		names[i] = cmd.name
	}
	return names
}

func (c *completer) bash() string {
	var b strings.Builder
	b.WriteString(`# bash completion for segscan
_segscan() {
    local IFS=$' \t\n' cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
    COMPREPLY=()
    if [[ $cur == "=" ]]; then cur=""; elif [[ $prev == "=" ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
    case $prev in
`)
	var all []string
	for _, f := range c.flags {
		all = append(all, f.spellings()...)
		pattern := strings.Join(f.spellings(), "|")
		switch {
		case len(f.allowed) > 0:
			fmt.Fprintf(&b, "    %s) COMPREPLY=($(compgen -W \"%s\" -- \"$cur\")); return ;;\n", pattern, strings.Join(f.allowed, " "))
		case f.arg == "DIR":
			fmt.Fprintf(&b, "    %s) IFS=$'\\n'; COMPREPLY=($(compgen -d -- \"$cur\")); return ;;\n", pattern)
		case f.arg != "":
			fmt.Fprintf(&b, "    %s) return ;;\n", pattern) // files, by the default of complete below
		}
	}
	b.WriteString("    esac\n    if [[ $COMP_CWORD -eq 2 ]]; then\n        case ${COMP_WORDS[1]} in\n")
	for _, cmd := range c.commands {
		switch {
		case c.args[cmd.name] != nil:
			fmt.Fprintf(&b, "        %s) COMPREPLY=($(compgen -W \"%s\" -- \"$cur\")); return ;;\n", cmd.name, strings.Join(c.args[cmd.name], " "))
		case cmd.args == "DIR":
			fmt.Fprintf(&b, "        %s) IFS=$'\\n'; COMPREPLY=($(compgen -d -- \"$cur\")); return ;;\n", cmd.name)
		}
	}
	fmt.Fprintf(&b, `        esac
    fi
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "%s" -- "$cur"))
        return
    fi
    if [[ $COMP_CWORD -eq 1 ]]; then
        COMPREPLY=($(compgen -W "%s" -- "$cur"))
    fi
    IFS=$'\n'
    COMPREPLY+=($(compgen -f -- "$cur"))
}
complete -o filenames -o default -F _segscan segscan
`, strings.Join(all, " "), strings.Join(c.commandNames(), " "))
	return b.String()
}

func (c *completer) zsh() string {
	text := strings.NewReplacer("'", `'\''`, "[", `\[`, "]", `\]`, ":", `\:`)
	var b strings.Builder
	b.WriteString("#compdef segscan\n_segscan() {\n    if (( CURRENT == 3 )); then\n        case $words[2] in\n")
	for _, cmd := range c.commands {
		switch {
		case c.args[cmd.name] != nil:
			fmt.Fprintf(&b, "        %s) compadd -- %s; return ;;\n", cmd.name, strings.Join(c.args[cmd.name], " "))
		case cmd.args == "DIR":
			fmt.Fprintf(&b, "        %s) _files -/; return ;;\n", cmd.name)
		}
	}
	b.WriteString("        esac\n    fi\n    if (( CURRENT == 2 )); then\n        local -a commands\n        commands=(\n")
	for _, cmd := range c.commands {
		fmt.Fprintf(&b, "            '%s:%s'\n", cmd.name, text.Replace(cmd.summary))
	}
	b.WriteString("        )\n        [[ $words[2] == -* ]] || _describe -t commands command commands\n    fi\n    _arguments -S \\\n")
	for _, f := range c.flags {
		head := "'--" + f.name
		if f.short != "" {
			head = fmt.Sprintf("'(-%s --%s)'{-%s,--%s}'", f.short, f.name, f.short, f.name)
		}
		if f.arg == "GLOB" {
			head = "'*--" + f.name
		}
		arg := ""
		switch {
		case len(f.allowed) > 0:
			arg = ":" + f.arg + ":(" + strings.Join(f.allowed, " ") + ")"
		case f.arg == "DIR":
			arg = ":DIR:_files -/"
		case f.arg == "FILE|-":
			arg = ":FILE:_files"
		case f.arg != "":
			arg = ":" + f.arg + ": "
		}
		fmt.Fprintf(&b, "        %s[%s]%s' \\\n", head, text.Replace(f.text), arg)
	}
	// Found in fpath, the file is the first call itself; sourced, it is not.
	b.WriteString("        '*:input:_files'\n}\ncompdef _segscan segscan\n" +
		"if [ \"$funcstack[1]\" = _segscan ]; then _segscan \"$@\"; fi\n")
	return b.String()
}

func (c *completer) fish() string {
	quote := strings.NewReplacer(`\`, `\\`, "'", `\'`)
	var b strings.Builder
	b.WriteString("# fish completion for segscan\n")
	for _, cmd := range c.commands {
		fmt.Fprintf(&b, "complete -c segscan -n __fish_use_subcommand -a %s -d '%s'\n", cmd.name, quote.Replace(cmd.summary))
		if list := c.args[cmd.name]; list != nil {
			fmt.Fprintf(&b, "complete -c segscan -n '__fish_seen_subcommand_from %s' -f -a '%s'\n", cmd.name, strings.Join(list, " "))
		}
	}
	for _, f := range c.flags {
		b.WriteString("complete -c segscan -l " + f.name)
		if f.short != "" {
			b.WriteString(" -s " + f.short)
		}
		switch {
		case len(f.allowed) > 0:
			b.WriteString(" -x -a '" + strings.Join(f.allowed, " ") + "'")
		case f.arg == "DIR":
			b.WriteString(" -x -a '(__fish_complete_directories)'")
		case f.arg == "FILE|-":
			b.WriteString(" -r")
		case f.arg != "":
			b.WriteString(" -x")
		}
		fmt.Fprintf(&b, " -d '%s'\n", quote.Replace(f.text))
	}
	return b.String()
}

func (c *completer) powershell() string {
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	list := func(words []string) string {
		q := make([]string, len(words))
		for i, w := range words {
			q[i] = quote(w)
		}
		return strings.Join(q, ", ")
	}
	var b strings.Builder
	b.WriteString("# powershell completion for segscan\nRegister-ArgumentCompleter -Native -CommandName segscan -ScriptBlock {\n" +
		"    param($word, $ast, $at)\n    $values = @{\n")
	var all []string
	for _, f := range c.flags {
		all = append(all, "--"+f.name)
		for _, s := range f.spellings() {
			if len(f.allowed) > 0 && s != "-"+strings.ToUpper(f.short) {
				fmt.Fprintf(&b, "        %s = @(%s)\n", quote(s), list(f.allowed))
			}
		}
	}
	for _, name := range c.commandNames() {
		if c.args[name] != nil {
			fmt.Fprintf(&b, "        %s = @(%s)\n", quote(name), list(c.args[name]))
		}
	}
	fmt.Fprintf(&b, `    }
    $before = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -lt $at } | ForEach-Object { $_.ToString() })
    $offer = @()
    if ($before.Count -gt 0 -and $values.ContainsKey($before[-1])) {
        $offer = $values[$before[-1]]
    } elseif ($word -like '-*') {
        $offer = @(%s)
    } elseif ($before.Count -eq 1) {
        $offer = @(%s)
    }
    $offer | Where-Object { $_ -like "$word*" } | ForEach-Object {
        [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
    }
}
`, list(all), list(c.commandNames()))
	return b.String()
}
