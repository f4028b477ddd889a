import Glibc

/// Failure of one camera or microphone.
///
/// `description` builds the complete message for the user: what failed, on which device, why, and what to
/// try.
public struct DeviceError: Error, Sendable, Equatable {
    /// Kind of failure, to which a program can react.
    public enum Kind: Sendable {
        /// No such device is connected, no such file exists, or several devices match the selector.
        case notFound
        /// Another program is using the device.
        case inUse
        /// The user lacks permission to open the device.
        case noPermission
        /// The device was unplugged or doesn't respond, or the sound server doesn't.
        case disconnected
        /// The device delivers no usable data, or no source is connected to its input.
        case noSignal
        /// The device can't deliver the requested format, or rejects the value of a control.
        case unsupported
        /// The USB controller lacks bandwidth, or a limit of the process or the system was reached.
        case limit
        /// Any other failure.
        case other
    }

    /// Reason why a device failed.
    package enum Reason: Sendable, Equatable {
        /// No such device is connected, or no such file exists.
        case notFound
        /// Several devices match the selector. Each selector in `candidates` identifies one of these devices.
        case ambiguous(candidates: [String])
        /// Another program is using the device. `by` is that program, or `nil` if proc(5) doesn't identify
        /// it.
        case busy(by: DeviceHolder?)
        /// The user lacks permission to open the device. The `AccessObstacle` gives the cause; `nil` if the
        /// cause is unknown.
        case noPermission(AccessObstacle?)
        /// The device was unplugged or doesn't respond.
        case disconnected
        /// The device can't deliver the requested format; `offered` lists the available formats.
        case formatNotSupported(requested: String, offered: [String])
        /// The device delivered no usable data within this number of seconds.
        case silent(seconds: Int)
        /// No source is connected to the device's video input, or the source is switched off.
        case noSignal
        /// The USB controller doesn't have enough bandwidth left for the device's stream.
        case noBandwidth(BandwidthShortage)
        /// The sound server doesn't respond or has disconnected; the text gives the reason.
        case noSoundServer(String)
        /// A camera control couldn't be set.
        case control(ControlFault)
        /// A process or system limit was reached; the device isn't at fault.
        case limit(MachineLimit)
        /// The operation failed with any other system error number.
        case system(errno: Int32)
        /// Any other reason, as text that ends with advice on what to do.
        case other(String)
    }

    /// The device as the user specified it: a node, a selector, or a role with its selector.
    public let device: String
    /// The action that failed, as a gerund phrase or the name of a system call, for example `starting`. The
    /// action appears before "failed" in the error message.
    public let operation: String
    /// Reason why the operation failed.
    package let reason: Reason

    /// Kind of the failure.
    public var kind: Kind {
        switch reason {
        case .notFound, .ambiguous: .notFound
        case .busy: .inUse
        case .noPermission: .noPermission
        case .disconnected, .noSoundServer: .disconnected
        case .silent, .noSignal: .noSignal
        case .formatNotSupported, .control: .unsupported
        case .noBandwidth, .limit: .limit
        case .system, .other: .other
        }
    }

    /// Creates an error of a source that the application provides.
    ///
    /// - Parameters:
    ///   - device: The device's name.
    ///   - operation: The action that failed, as a gerund phrase, such as `starting`.
    ///   - explanation: Why the operation failed and what to do, in full sentences.
    public init(device: String, operation: String, explanation: String) {
        self.init(device: device, operation: operation, reason: .other(explanation))
    }

    /// Creates an error with a known reason.
    package init(device: String, operation: String, reason: Reason) {
        self.device = device
        self.operation = operation
        self.reason = reason
    }

    /// Creates an error from an `errno` value, converted to the most specific reason.
    public init(device: String, operation: String, errno number: Int32) {
        let reason: Reason =
            switch number {
            case ENOENT, ENXIO: .notFound
            case EBUSY: .busy(by: nil)
            case EACCES, EPERM: .noPermission(nil)
            case EIO, ENODEV: .disconnected
            case ENOSPC: .noBandwidth(BandwidthShortage(controller: nil))
            default: MachineLimit(errno: number).map { .limit($0) } ?? .system(errno: number)
            }
        self.init(device: device, operation: operation, reason: reason)
    }

    /// Creates an error for a device that another session has started already.
    package static func alreadyStarted(_ device: String) -> DeviceError {
        DeviceError(
            device: device, operation: "starting",
            reason: .other(
                "another session of this program uses the device, or has used it. Close that session, and open the device again."
            ))
    }

    /// Creates an error for a device after the system refused to create its thread.
    package init(device: String, operation: String, _ error: ThreadError) {
        self.init(device: device, operation: operation, reason: .limit(error.limit))
    }
}

extension DeviceError: CustomStringConvertible {
    /// The complete message for the user: the device, the operation, the reason, and what to try.
    public var description: String { "\(device.printable()): \(operation) failed: \(explanation)" }

    private var explanation: String {
        switch reason {
        case .notFound where device.hasPrefix("file:"):
            return "no such file. Check the path."
        case .notFound:
            return "no such device. "
                + onCommandLine(
                    "Run `multicam devices` to list the connected devices, or try `--virtual`.",
                    otherwise: "Connect it, or choose another device.")
        case .ambiguous(let candidates):
            let list = candidates.map { $0.printable() }.joined(separator: ", ")
            return "several devices match: \(list). Select one of them"
                + onCommandLine(" with `--camera ROLE=…` or `--mic ROLE=…`.", otherwise: ".")
        case .busy(let holder?):
            let activity = holder.activity.map { ", which \($0)" } ?? ""
            return
                "the device is in use by \(holder)\(activity). Close that program, or choose another camera."
        case .busy(nil):
            return "the device is in use by a program of another user or container. To find the program, run "
                + "`sudo fuser -v \(device.shellQuoted())`. Close the program, or choose another camera."
        case .noPermission where device.hasPrefix("file:"):
            return "permission denied. Grant read access with `chmod`, or choose another file."
        case .noPermission(let obstacle):
            return (obstacle ?? .notInGroup("video")).explanation(node: device)
        case .disconnected where device.hasPrefix("file:"):
            return "the file could not be read. Check the disk that contains the file."
        case .disconnected:
            return "the device was unplugged or is not responding. Plug it in again, or try another port."
        case .formatNotSupported(let requested, let offered):
            let list = offered.map { $0.printable() }.joined(separator: "; ")
            return "the device does not support \(requested). Supported: \(list)."
        case .noSignal:
            return
                "there is no signal at the device's input. Switch on the source and check its cable, or remove the device from the profile."
        case .silent(let seconds):
            return
                "the device delivered no usable data within \(seconds) s. Plug it in again, or remove it from the profile."
        case .noBandwidth(let shortage):
            return shortage.explanation
        case .noSoundServer(let why):
            return "the PulseAudio server is not responding (\(why.printable())). "
                + "Start it with `\(SoundServerStart.command)`, or record without microphones\(onCommandLine(" (`--no-mics`)"))."
        case .control(let fault):
            return fault.description
        case .limit(let limit):
            return limit.explanation
        case .system(let number) where device.hasPrefix("file:"):
            return "\(String(cString: strerror(number))) (errno \(number))."
        case .system(let number):
            return "\(String(cString: strerror(number))) (errno \(number)). "
                + "Plug it in again. If the error persists, check `dmesg`."
        case .other(let sentence):
            return sentence
        }
    }
}

/// Reason why the user lacks permission to open a device node, which determines how to fix the problem.
package enum AccessObstacle: Sendable, Hashable {
    /// Only members of this group may open the node, and the user isn't a member.
    case notInGroup(String)
    /// The user was added to the group after the current login session began.
    case loginNeeded(group: String)
    /// No group except root's group may open the node.
    case rootOnly
    /// The node's permissions allow access, but the container's rules block it (device cgroup, user
    /// namespace).
    case container
    /// The node's permissions allow access, but a security policy such as AppArmor or SELinux denies it.
    case forbidden

    /// Returns sentences that explain why the node can't be opened and what to do, for a node such as
    /// `/dev/video0`.
    package func explanation(node: String) -> String {
        let quoted = node.shellQuoted()
        return switch self {
        case .notInGroup(let group):
            "permission denied. Join the group with `sudo usermod -aG \(group.shellQuoted()) $USER` and log in again."
        case .loginNeeded(let group):
            "you were added to the group \(group.printable()) after you logged in. Log out and log in again, or run "
                + "`newgrp \(group.shellQuoted())` in this terminal."
        case .rootOnly:
            "only root can open the device. Assign the device to the group video with "
                + "`sudo chgrp video \(quoted) && sudo chmod g+rw \(quoted)`."
        case .container:
            "the container does not have access to the device (device cgroup). Start the container with `--device \(quoted)`."
        case .forbidden:
            "the device permissions allow access, but a security policy denies it. Look for AppArmor or SELinux messages in `sudo dmesg`."
        }
    }
}

extension AccessObstacle {
    /// Returns the shell command that fixes the problem; `nil` if the command must be run outside this
    /// machine or is unknown.
    package func fixCommand(node: String) -> String? {
        let quoted = node.shellQuoted()
        return switch self {
        case .notInGroup(let group): "sudo usermod -aG \(group.shellQuoted()) $USER"
        case .loginNeeded(let group): "newgrp \(group.shellQuoted())"
        case .rootOnly: "sudo chgrp video \(quoted) && sudo chmod g+rw \(quoted)"
        case .container, .forbidden: nil
        }
    }
}

/// The program that uses a device, as identified by proc(5).
public struct DeviceHolder: Sendable, Hashable {
    /// The program's name, without control characters.
    package let program: String
    /// The program's process ID.
    package let process: Int32
    /// The program's own description of its activity, such as `records profile "pip" into
    /// /home/ann/recordings/talk`; `nil` if the program doesn't provide one.
    package var activity: String?

    /// Creates a device holder and replaces unprintable characters in the program's name.
    package init(program: String, process: Int32, activity: String? = nil) {
        self.program = program.printable()
        self.process = process
        self.activity = activity
    }
}

extension DeviceHolder: CustomStringConvertible {
    /// The program, in backticks, and its process ID, for example "`obs` (process 4312)".
    public var description: String { "`\(program)` (process \(process))" }
}
