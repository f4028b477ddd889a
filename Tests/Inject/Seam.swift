import CMulticamInject
import Glibc
import MulticamMedia

/// The possible faults at the calls of an interface (a seam), and the files that they may affect.
struct Seam {
    /// The name under which calls are counted.
    let name: String

    /// Possible kinds of faults.
    var kinds: [String] {
        switch words[0] {
        case "camera": words.last == "start" ? DeviceError.kinds : FaultyCamera.events
        case "microphone": words.last == "start" ? DeviceError.kinds : FaultyMicrophone.events
        case "make", "correct", "meter": ["throws"]
        case "encoder", "repeat": FaultyVideoEncoder.kinds
        case "finish", "preset": FaultPlan.packetKinds
        case "sound": FaultPlan.packetKinds
        case "parameters": StreamParameters.kinds
        case "key", "shortcoming", "whole": ["otherwise"]
        case "resampler", "drain": FaultyResampler.kinds
        case "delay": InvalidValues.numbers
        case "momentary", "loudness": FaultyMeter.kinds
        case "decoder": FaultyDecoder.kinds
        case "slate", "still": ["throws"] + InvalidValues.damages
        case "convert": ["throws"] + InvalidValues.times + InvalidValues.counts
        case "host": FaultyHost.kinds
        case "file": FileFaults.kinds[words[1]] ?? []
        case "descriptors": ["EMFILE"]
        default: []
        }
    }

    /// Kinds that make sense only once, or that no recording can survive permanently, such as an interrupted
    /// call.
    static let single: Set<String> = ["late", "swapped", "EINTR", "long", "babble"]

    /// Path prefixes, in both folders, of files that a fault may change; `nil` for all files.
    var touched: [String]? {
        let role = words.last ?? ""
        return switch words[0] {
        // The start time depends on the events before it.
        case "camera", "microphone": words.last == "warm-up" ? nil : files(of: words[1])
        case "make": files(of: role)
        case "encoder", "repeat", "preset", "finish", "sound", "parameters", "correct", "resampler", "drain",
            "delay", "slate", "decoder", "key":
            files(of: role)
        case "host", "descriptors", "whole": nil
        default: []
        }
    }

    /// The file or folder that a fault may affect; only for seams of files.
    var path: String? { words[0] == "file" ? String(name.dropFirst("file.\(words[1]).".count)) : nil }

    /// The component, which is used to group findings.
    var family: String { words[0] == "file" ? "file.\(words[1])" : words[0] }

    private var words: [String] { name.split(separator: ".").map(String.init) }

    private func files(of role: String) -> [String] {
        switch role {
        case "desk": ["cameras/desk", "program"]
        case "face": ["cameras/face", "program"]
        case "gone", "side": ["cameras/\(role)"]
        case "host", "guest": ["audio/\(role)", "program"]
        default: ["program"]
        }
    }
}

/// Error codes that each system call may return.
enum FileFaults {
    static let kinds: [String: [String]] = [
        "open": ["EMFILE", "ENFILE", "ENOSPC", "EACCES", "EROFS", "EIO", "ENOMEM", "EINTR"],
        "write": ["ENOSPC", "EDQUOT", "EIO", "EROFS", "EFBIG", "EINTR", "short", "nothing"],
        "read": ["EIO", "EINTR", "short", "nothing"],
        "truncate": ["EIO", "ENOSPC", "EFBIG"],
        "sync": ["EIO", "ENOSPC", "EROFS"],
        "reserve": ["EIO", "ENOSPC", "EOPNOTSUPP"],
        "rename": ["EIO", "EACCES", "ENOSPC", "EROFS"],
        "mkdir": ["EACCES", "ENOSPC", "EROFS", "EMFILE"],
    ]

    static let numbers: [String: Int32] = [
        "EMFILE": EMFILE, "ENFILE": ENFILE, "ENOSPC": ENOSPC, "EACCES": EACCES, "EROFS": EROFS, "EIO": EIO,
        "ENOMEM": ENOMEM, "EINTR": EINTR, "EDQUOT": EDQUOT, "EFBIG": EFBIG, "EOPNOTSUPP": EOPNOTSUPP,
        "short": Int32(INJECT_SHORT), "nothing": Int32(INJECT_NOTHING),
    ]
}
