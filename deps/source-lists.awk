# Turn the machine's own apt sources into deb-src entries: awk -v release=bookworm -f this FILE...
# Takes deb822 stanzas and one-line entries alike; keeps the distribution's own (component main or
# Ubuntu's universe, a suite of this release), because other vendors rarely offer sources and a
# missing index is an error. Writes OUT.sources and OUT.list; `out` is given by -v, too.

BEGIN { RS = ""; FS = "\n" }

function is_own_suite(suite) {
    return suite == release || suite == release "-updates" || suite == release "-security" ||
           suite == release "/updates" || suite == "stable" || suite == "stable-updates" ||
           suite == "stable-security"
}

# Words of a list: does one of them satisfy the question?
function has_own_suite(list,    words, n, i) {
    n = split(list, words, /[ \t]+/)
    for (i = 1; i <= n; i++)
        if (is_own_suite(words[i])) return 1
    return 0
}

function take_line(line,    rest, words, n, i) {
    rest = line
    sub(/^deb(-src)?[ \t]+/, "", rest)
    sub(/^\[[^]]*\][ \t]+/, "", rest)
    n = split(rest, words, /[ \t]+/)
    if (n < 3 || !is_own_suite(words[2])) return
    for (i = 3; i <= n; i++) {
        if (words[i] != "main" && words[i] != "universe") continue
        sub(/^deb(-src)?/, "deb-src", line)
        print line > (out ".list")
        return
    }
}

function take_stanza(    i, text, suites, main, off, field) {
    for (i = 1; i <= NF; i++) {
        if ($i ~ /^#/) continue
        if ($i ~ /^[^ \t]/) field = tolower(substr($i, 1, index($i, ":") - 1))
        if (field == "suites") suites = suites " " $i
        if (field == "components" && $i ~ /[ \t:](main|universe)([ \t]|$)/) main = 1
        if (field == "enabled" && tolower($i) ~ /no|false/) off = 1
        text = text (field == "types" ? "Types: deb-src" : $i) "\n"
    }
    if (main && !off && has_own_suite(suites)) print text > (out ".sources")
}

/(^|\n)Types:/ { take_stanza(); next }
{ for (i = 1; i <= NF; i++) if ($i ~ /^deb(-src)?[ \t]/) take_line($i) }
