import Glibc
import MulticamKit

extension SessionSteering {
    /// Begins to listen to signals. One that comes before there is a session stops it when there is one.
    func listen() {
        SignalInbox.listen { [self] request in
            switch request {
            case .stop(1, _): stop()
            case .stop(2, _):
                guard stopUrgently() else { return }
                Output.message(
                    "closing the files without waiting for the encoders: all that is encoded so far is kept.")
            case .stop:
                Output.message(Self.lastWord(folder: folderPath))
                _exit(ExitStatus.aborted.rawValue)
            case .mark:
                guard !mark("signal") else { return }
                Output.message("nothing is being recorded at the moment: the mark is not set.")
            case .split:
                guard !split() else { return }
                Output.message("nothing is being recorded at the moment: there is no file to go on from.")
            }
        }
    }

    /// What is kept of a recording that is aborted.
    private static func lastWord(folder: String?) -> String {
        guard let folder else { return "aborted: nothing was recorded." }
        let path = folder.printable(limit: 4096).shellQuoted()
        return
            "aborted: all but about the last second is kept. `multicam recover \(path)` makes the files whole."
    }
}
