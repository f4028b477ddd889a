import Capture
import Glibc
import Media
internal import Setup

/// The facts that the checks judge: files of sysfs, proc and the like below a root, and the few facts that are in no file. Tests
/// provide synthetic ones.
struct Machine: Sendable {
    /// The path prefix of `/sys`, `/proc` and `/run`; empty for the real ones.
    let root: String
    var user: UserGroups
    var usb: USBTree
    /// The video nodes that capture frames, without those for metadata.
    var videoNodes: [VideoNode]
    /// The permissions of the video nodes, of the sound cards' inputs and of hardware encoders.
    var access: [NodeAccess]
    /// The report of the sound server, or why it does not answer.
    var audio: Result<PulseSurvey, DeviceError>
    var output: FolderFacts
    /// The folders in which the program keeps what it remembers: XDG's config and state folders.
    var ownFolders: [FolderFacts]
    /// The wall clock in seconds since 1970.
    var wallClock: Int
    /// The kernel's messages since its start, or why they cannot be read.
    var kernelLog: KernelLog
    /// The video nodes of codec devices.
    var codecNodes: [CodecNode] = []
    /// Names of the hardware encoders that libavcodec was built with.
    var libraryEncoders = Set(EncoderDetection.libraries)
    /// Nodes of virtual cameras to which a profile publishes.
    var publishedNodes: [String] = []
    /// Trial results of hardware encoders, possibly also of absent ones.
    var triedEncoders: [TriedEncoder] = []

    /// A device node, and whether this process may open it.
    struct NodeAccess: Sendable {
        let permissions: NodePermissions
        let isAllowed: Bool
    }

    var isContainer: Bool { Container.isAround(root: root) }

    /// The first 4096 bytes of a file below the root; `nil` when it cannot be read.
    func text(_ path: String) -> String? { Paths.text(root + path) }

    /// The lines of a file below the root, up to 1 MiB; empty when it cannot be read.
    func lines(_ path: String) -> [Substring] {
        let bytes = Paths.bytes(root + path, atMost: 1 << 20) ?? []
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }

    func exists(_ path: String) -> Bool { Paths.exists(root + path) }

    func entries(_ path: String) -> [String] { Paths.entries(of: root + path) }

    /// The camera's node, as `/dev/video0`, or else its name on the bus.
    func name(of camera: USBDevice) -> String {
        videoNodes.first { $0.usbDevice == camera.folder }?.node ?? camera.name
    }

    /// A path as the user knows it, without the root.
    func ownPath(_ path: String) -> String {
        path.hasPrefix(root) ? String(path.dropFirst(root.count)) : path
    }

    // MARK: Commands that mend

    /// `sudo ` for other users; empty for root, who needs none, and has none in many containers.
    var sudo: String { user.id == 0 ? "" : "sudo " }

    /// A shell command that writes a value into a file of sysfs.
    func setting(_ path: String, to value: String) -> String {
        "echo \(value.shellQuoted()) | \(sudo)tee \(path.shellQuoted())"
    }
}

extension Machine {
    /// Gathers the facts of this computer.
    init(output: String) {
        root = ""
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
            self.audio = .success(try PulseSurvey())
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
        self.output = FolderFacts(of: output)
        ownFolders = OwnFolders.all.map { FolderFacts(of: $0) }
        wallClock = time(nil)
        kernelLog = KernelLog.read()
    }
}
