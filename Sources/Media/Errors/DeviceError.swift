import Glibc

/// A failure of one camera or microphone.
///
/// The message a user reads is built only here: what failed, on which device, why, and what to try.
public struct DeviceError: Error, Sendable, Equatable {
    public enum Reason: Sendable, Equatable {
        case notFound
        /// Several devices fit a selector; how each can be named.
        case ambiguous(candidates: [String])
        /// Who has it, where proc(5) tells.
        case busy(by: DeviceHolder?)
        /// Why it is not allowed, where the system tells.
        case noPermission(AccessObstacle?)
        case disconnected
        case formatNotSupported(requested: String, offered: [String])
        /// It delivered nothing good in the given time.
        case silent(seconds: Int)
        /// Nothing that could be captured is connected to its input, or it is switched off.
        case noSignal
        /// The USB controller has no bandwidth left for its stream.
        case noBandwidth(BandwidthShortage)
        /// The sound server does not answer or went away.
        case noSoundServer(String)
        /// A control does not get its value.
        case control(ControlFault)
        case system(errno: Int32)
        /// A reason of its own, as a sentence that ends in what to do.
        case other(String)
    }

    /// As the user named it: a node, a selector, or a role with its selector.
    public let device: String
    public let operation: String
    public let reason: Reason

    public init(device: String, operation: String, reason: Reason) {
        self.device = device
        self.operation = operation
        self.reason = reason
    }

    /// Turns an `errno` into the reason a person would give for it.
    public init(device: String, operation: String, errno number: Int32) {
        let reason: Reason =
            switch number {
            case ENOENT, ENXIO: .notFound
            case EBUSY: .busy(by: nil)
            case EACCES, EPERM: .noPermission(nil)
            case EIO, ENODEV: .disconnected
            case ENOSPC: .noBandwidth(BandwidthShortage(controller: nil))
            default: .system(errno: number)
            }
        self.init(device: device, operation: operation, reason: reason)
    }
}

extension DeviceError: CustomStringConvertible {
    public var description: String { "\(device.printable()): \(operation) failed: \(explanation)" }

    private var explanation: String {
        switch reason {
        case .notFound where device.hasPrefix("file:"):
            return "no such file. Check the path."
        case .notFound:
            return "no such device. Run `multicam devices` to list what is connected, or try `--virtual`."
        case .ambiguous(let candidates):
            let list = candidates.map { $0.printable() }.joined(separator: ", ")
            return "it could be any of \(list). Name one of them with `--camera ROLE=…` or `--mic ROLE=…`."
        case .busy(let holder?):
            let activity = holder.activity.map { ": it \($0)" } ?? ""
            return "\(holder) is using it\(activity). Close that program, or pick another camera."
        case .busy(nil):
            return "a program of another user's or container's is using it, which root could name: "
                + "`sudo fuser -v \(device.shellQuoted())`. Close it, or pick another camera."
        case .noPermission where device.hasPrefix("file:"):
            return "you may not read it. Allow it with `chmod`, or choose another file."
        case .noPermission(let obstacle):
            return (obstacle ?? .notInGroup("video")).explanation(node: device)
        case .disconnected:
            return "it was unplugged or does not answer. Plug it in again, at another port if need be."
        case .formatNotSupported(let requested, let offered):
            let list = offered.map { $0.printable() }.joined(separator: "; ")
            return "it cannot deliver \(requested). It offers \(list)."
        case .noSignal:
            return
                "there is no signal at its input. Switch the source on and look at its cable, or leave it out of the profile."
        case .silent(let seconds):
            return
                "it delivered nothing usable within \(seconds) s. Plug it in again, or leave it out of the profile."
        case .noBandwidth(let shortage):
            return shortage.explanation
        case .noSoundServer(let why):
            return "the PulseAudio server does not answer (\(why.printable())). "
                + "Start it with `\(SoundServerStart.command)`, or record without microphones (`--no-mics`)."
        case .control(let fault):
            return fault.description
        case .system(let number):
            return "\(String(cString: strerror(number))) (errno \(number)). "
                + "Plug it in again and look at `dmesg` if it stays."
        case .other(let sentence):
            return sentence
        }
    }
}
