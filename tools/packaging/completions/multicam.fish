# fish completion for multicam. The program computes the candidates.

function __multicam_complete
    set -l before (commandline -opc)
    set -l typed (commandline -ct)
    for line in (multicam complete -- $before[2..-1] "$typed" 2> /dev/null)
        switch $line
            case :files
                __fish_complete_path (string replace -r '^--[^=]*=' '' -- $typed)
            case :folders
                __fish_complete_directories (string replace -r '^--[^=]*=' '' -- $typed)
            case '*'
                printf '%s\n' $line
        end
    end
end

complete -c multicam -f -a '(__multicam_complete)'
