# Completion of rooflinec and roofline in fish: the programs say what may follow, or a file.
function __roofline_complete
    set -l before (commandline -opc)
    $before[1] --complete $before[2..] 2>/dev/null
end
complete -c rooflinec -a '(__roofline_complete)'
complete -c roofline -a '(__roofline_complete)'
