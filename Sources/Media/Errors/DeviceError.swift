import Glibc

/// A failure of one camera or microphone.
///
/// `description` builds the whole message that a user reads: what failed, on which device, why, and what to try.
public struct DeviceError: Error, Sendable, Equatable {
    /// The reason why a device failed.
    public enum Reason: Sendable, Equatable {
        /// No such device is connected, or no such file exists.
        case notFound
        /// Several devices fit a selector. `candidates` are selectors that each name one of them.
        case ambiguous(candidates: [String])
        /// Another program uses the device; `by` is that program, or `nil` where proc(5) does not tell.
        case busy(by: DeviceHolder?)
        /// The user may not open the device; the obstacle says why, or is `nil` where the system does not tell.
        case noPermission(AccessObstacle?)
        /// The device was unplugged, or does not answer.
        case disconnected
        /// The device cannot deliver the requested format; `offered` lists what it can.
        case formatNotSupported(requested: String, offered: [String])
        /// The device delivered nothing usable within so many seconds.
        case silent(seconds: Int)
        /// No source is connected to the device's video input, or the source is switched off.
        case noSignal
        /// The USB controller has no bandwidth left for the device's stream.
        case noBandwidth(BandwidthShortage)
        /// The sound server does not answer or went away; the text says why.
        case noSoundServer(String)
        /// A control of the camera does not get its value.
        case control(ControlFault)
        /// Any other error number of the system.
        case system(errno: Int32)
        /// A reason outside this list, as a sentence that ends in what to do.
        case other(String)
    }

    /// The device as the user named it: a node, a selector, or a role with its selector.
    public let device: String
    /// The action that failed, to stand before “failed” in the message, for example `start`.
    public let operation: String
    /// Why the operation failed.
    public let reason: Reason

    /// Makes an error with a known reason.
    public init(device: String, operation: String, reason: Reason) {
        self.device = device
        self.operation = operation
        self.reason = reason
    }

    /// Makes an error from an `errno`, and turns the number into the reason a person would give for it.
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
    /// The whole message for a user: the device, the operation, the reason and what to try.
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
