import Glibc
import MulticamCapture
import MulticamMedia
internal import MulticamSetup
internal import MulticamSystem

/// The input data for the checks of `multicam doctor`: files in sysfs, proc, and similar file systems below a
/// root, and a few values that aren't in files. Tests provide synthetic data.
struct Machine: Sendable {
    /// The path prefix of `/sys`, `/proc`, and `/run`; empty for the real file systems.
    let root: String
    var user: UserGroups
    var usb: USBTree
    /// The video nodes that capture frames, excluding metadata nodes.
    var videoNodes: [VideoNode]
    /// The permissions of the video nodes, of the sound cards' inputs, and of hardware encoders.
    var access: [NodeAccess]
    /// The report of the sound server, or the reason why it doesn't respond.
    var audio: Result<PulseConfiguration, DeviceError>
    var output: FolderFacts
    /// The program's data folders: the XDG config and state folders.
    var ownFolders: [FolderFacts]
    /// The wall clock in seconds since 1970.
    var wallClock: Int
    /// The kernel's messages since boot, or the reason why they can't be read.
    var kernelLog: KernelLog
    /// The video nodes of codec devices.
    var codecNodes: [CodecNode] = []
    /// Names of the hardware encoders included in the libavcodec build.
    var libraryEncoders = Set(EncoderDetection.libraries)
    /// The mechanism that permits a higher priority for this process's threads.
    var priority = PriorityGrant.niceLimit
    /// Device nodes of the virtual cameras in a profile's live outputs.
    var publishedNodes: [String] = []
    /// Trial results for hardware encoders, possibly including encoders that aren't present.
    var triedEncoders: [TriedEncoder] = []
    /// The share of all processors that other programs use, from 0 to 1; `nil` if it is unknown.
    var shareOfOtherPrograms: Double?
    /// The error in the profile as a sentence; `nil` if the profile is valid.
    var profileError: String?
    /// Whether the profile uses devices of this computer. Without a profile, they are expected.
    var needsCamera = true
    var needsMicrophone = true

    /// A device node, and whether this process can open it.
    struct NodeAccess: Sendable {
        let permissions: NodePermissions
        let isAllowed: Bool
    }

    var isContainer: Bool { Container.isDetected(root: root) }

    /// Returns the first 4096 bytes of a file below the root; `nil` if it can't be read.
    func text(_ path: String) -> String? { Paths.text(root + path) }

    /// Returns the lines of a file below the root, up to 1 MiB; empty if it can't be read.
    func lines(_ path: String) -> [Substring] {
        let bytes = Paths.bytes(root + path, atMost: 1 << 20) ?? []
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }

    func exists(_ path: String) -> Bool { Paths.exists(root + path) }

    func entries(_ path: String) -> [String] { Paths.entries(of: root + path) }

    /// Returns the camera's node, such as `/dev/video0`, or the camera's name on the USB bus if the camera
    /// doesn't have a node.
    func name(of camera: USBDevice) -> String {
        videoNodes.first { $0.usbDevice == camera.folder }?.node ?? camera.name
    }

    /// Returns a path without the root, as shown to the user.
    func displayPath(_ path: String) -> String {
        path.hasPrefix(root) ? String(path.dropFirst(root.count)) : path
    }

    // MARK: Repair commands

    /// The prefix `sudo ` for commands; empty for root, because root doesn't need it and many containers lack it.
    var sudo: String { user.id == 0 ? "" : "sudo " }

    /// Returns a shell command that writes a value to a sysfs file.
    func writeCommand(_ path: String, to value: String) -> String {
        "echo \(value.shellQuoted()) | \(sudo)tee \(path.shellQuoted())"
    }
}

extension Machine {
    /// Collects the input data from this computer.
    init(output: String) {
        root = ""
        let (start, startTime) = (ProcessorUse(), MonotonicClock().now)
        user = .current
        usb = USBTree()
        videoNodes = VideoNode.all().filter { $0.index == 0 }
        let audio = Paths.entries(of: "/dev/snd").filter { $0.hasPrefix("pcm") && $0.hasSuffix("c") }
        access =
            videoNodes.compactMap { video in
                NodePermissions(of: video.node).map {
                    NodeAccess(permissions: $0, isAllowed: NodePermissions.allowsOpening(video.node))
                }
            }
            + audio.compactMap { name in
                NodePermissions(of: "/dev/snd/\(name)").map {
                    NodeAccess(permissions: $0, isAllowed: Glibc.access($0.node, R_OK | W_OK) == 0)
                }
            }
        do throws(DeviceError) {
            self.audio = .success(try PulseConfiguration())
        } catch {
            self.audio = .failure(error)
        }
        for encoder in ThisMachine.detectedEncoders where encoder.library != "h264_v4l2m2m" {
            guard let permissions = NodePermissions(of: encoder.node) else { continue }
            access.append(
                NodeAccess(
                    permissions: permissions, isAllowed: NodePermissions.allowsOpening(encoder.node)))
        }
        let detection = EncoderDetection.onThisMachine
        codecNodes = detection.codecNodes
        libraryEncoders = detection.libraryEncoders
        triedEncoders = ThisMachine.triedEncoders
        priority = ThreadPriorities.testGrant(with: RealtimeKit())
        self.output = FolderFacts(of: output)
        ownFolders = OwnFolders.all.map { FolderFacts(of: $0) }
        wallClock = time(nil)
        kernelLog = KernelLog.read()
        shareOfOtherPrograms = ProcessorUse.shareOfOtherPrograms(since: start, at: startTime)
    }
}
