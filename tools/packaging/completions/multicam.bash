# bash completion for multicam. The program computes the candidates.

_multicam() {
    local line=${COMP_LINE:0:COMP_POINT} words=() kind='' index word typed cut text help
    # Bash also splits words at = and :, so join parts without a space between them.
    for ((index = 0; index <= COMP_CWORD; index++)); do
        word=${COMP_WORDS[index]}
        if [[ $index -gt 0 && $line != [[:space:]]* ]]; then
            words[${#words[@]} - 1]+=${word:0:${#line}}
        else
            line=${line#"${line%%[![:space:]]*}"}
            words+=("${word:0:${#line}}")
        fi
        line=${line#"$word"}
    done
    typed=${words[${#words[@]} - 1]}
    # Bash expects only the part of a candidate after its last split.
    cut=${typed%"${typed##*[=:]}"}
    COMPREPLY=()
    while IFS=$'\t' read -r text help; do
        case $text in
            :files | :folders) kind=$text ;;
            *) COMPREPLY+=("${text#"$cut"}") ;;
        esac
    done < <(multicam complete -- "${words[@]:1}" 2> /dev/null)
    if [ -n "$kind" ]; then
        # Bash quotes candidates itself if it treats them as file names.
        compopt -o filenames 2> /dev/null
        local option=-f
        [ "$kind" != :folders ] || option=-d
        while IFS= read -r text; do COMPREPLY+=("$text"); done < <(compgen "$option" -- "${typed#"$cut"}")
    else
        for index in "${!COMPREPLY[@]}"; do printf -v "COMPREPLY[$index]" '%q' "${COMPREPLY[index]}"; done
        [[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2> /dev/null
    fi
}

complete -o nosort -F _multicam multicam
