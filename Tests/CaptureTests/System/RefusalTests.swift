import Glibc
import MulticamMedia
import MulticamSyntheticMachines
import Testing

@testable import MulticamCapture

@Suite("Errors when opening a camera")
struct RefusalTests {
    // MARK: Busy

    @Test("finds the process that holds a node open in /proc, and ignores its own process")
    func holder() throws {
        let machine = try SyntheticMachine()
        try machine.program(4242, "obs\u{1b}[31m", holding: ["/dev/video-none"])
        try machine.program(977, "cheese", holding: ["/dev/null", "/dev/video-none"])
        try machine.program(Int(getpid()), "self", holding: ["/dev/video-other"])
        try machine.folder("proc/self/fd")
        let processes = "\(machine.root)/proc"
        #expect(
            NodeOwners.holder(of: "/dev/video-none", processes: processes)
                == DeviceHolder(program: "cheese", process: 977))
        #expect(NodeOwners.holder(of: "/dev/video-other", processes: processes) == nil)
        try machine.remove("proc/977")
        let other = try #require(NodeOwners.holder(of: "/dev/video-none", processes: processes))
        #expect(other.description == "`obs?[31m` (process 4242)")
        try machine.remove("proc/4242/comm")
        #expect(NodeOwners.holder(of: "/dev/video-none", processes: processes)?.process == 4242)
    }

    // MARK: No permission

    private func obstacle(
        mode: UInt32, group: UInt32 = 44, user: UInt32 = 1000, groups: Set<UInt32> = [1000],
        atLogin: Set<UInt32> = [1000], container: Bool = false
    ) -> AccessObstacle {
        let name = group == 44 ? "video" : "\(group)"
        return NodePermissions(node: "/dev/video0", mode: mode, owner: 0, group: group, groupName: name)
            .obstacle(
                to: UserGroups(id: user, groups: groups, groupsAtLogin: atLogin), inContainer: container)
    }

    @Test("reports the missing group, the need to log in again, or the container as the cause")
    func obstacles() {
        #expect(obstacle(mode: 0o660) == .notInGroup("video"))
        #expect(obstacle(mode: 0o660, atLogin: [1000, 44]) == .loginNeeded(group: "video"))
        #expect(obstacle(mode: 0o600) == .rootOnly)
        #expect(obstacle(mode: 0o640) == .rootOnly)
        #expect(obstacle(mode: 0o660, group: 0) == .rootOnly)
        #expect(obstacle(mode: 0o660, groups: [1000, 44]) == .forbidden)
        #expect(obstacle(mode: 0o660, groups: [1000, 44], container: true) == .container)
        #expect(obstacle(mode: 0o600, user: 0, container: true) == .container)
        #expect(obstacle(mode: 0o666, container: false) == .forbidden)
        #expect(obstacle(mode: 0o660, group: 65_534, container: true) == .container)
        #expect(obstacle(mode: 0o660, container: true) == .notInGroup("video"))
    }

    @Test("suggests a shell-safe command for each obstacle")
    func advice() {
        let node = "/dev/my camera"
        #expect(
            AccessObstacle.notInGroup("video").explanation(node: node).contains(
                "`sudo usermod -aG video $USER`"))
        #expect(AccessObstacle.loginNeeded(group: "video").explanation(node: node).contains("`newgrp video`"))
        #expect(AccessObstacle.rootOnly.explanation(node: node).contains("chmod g+rw '/dev/my camera'"))
        #expect(AccessObstacle.container.explanation(node: node).contains("--device '/dev/my camera'"))
        #expect("it's \u{1B}".shellQuoted() == #"'it'\''s ?'"#)
        #expect("".shellQuoted() == "''")
        // A quote with a combining accent still ends a quoted word in a shell.
        #expect("a'\u{301}; reboot".shellQuoted().unicodeScalars.filter { $0 == "'" }.count == 5)
        #expect("$(reboot)".shellQuoted() == "'$(reboot)'")
    }

    @Test("reads the permissions of this machine's nodes and groups")
    func facts() throws {
        let null = try #require(NodePermissions(of: "/dev/null"))
        #expect(null.mode == 0o666 && null.groupName == "root")
        #expect(NodePermissions(of: "/dev/video-none") == nil)
        #expect(UserGroups.current.id == geteuid())
        #expect(UserGroups.current.groups.contains(getegid()))
        #expect(UserGroups.name(ofGroup: 4_000_000_000) == "4000000000")
    }

    @Test("detects a container by its files")
    func container() throws {
        let machine = try SyntheticMachine()
        #expect(!Container.isDetected(root: machine.root))
        try machine.write("run/.containerenv", "")
        #expect(Container.isDetected(root: machine.root))
    }

    // MARK: No bandwidth

    private let offers = [
        OfferedFormat(
            pixel: .mjpeg, size: FrameSize(width: 1920, height: 1080), rates: .listed([FrameRate(30)])),
        OfferedFormat(
            pixel: .yuyv, size: FrameSize(width: 640, height: 480),
            rates: .listed([FrameRate(30), FrameRate(10)])),
        OfferedFormat(
            pixel: .yuyv, size: FrameSize(width: 320, height: 240), rates: .listed([FrameRate(30)])),
    ]

    private func shortage(
        _ machine: SyntheticMachine, _ pixel: PixelFormat = .mjpeg, _ width: Int = 1920, _ height: Int = 1080
    ) throws -> BandwidthShortage {
        let format = VideoFormat(
            pixel: pixel, size: FrameSize(width: width, height: height), rate: FrameRate(30))
        return try #require(
            USBShortage(
                node: "/dev/video1", requested: format, offers: offers, sysfs: machine.sysfs,
                processes: "\(machine.root)/proc"
            ).shortage)
    }

    @Test(
        "explains a full bus: the controller, the reservations with their programs, the request, and the formats that fit"
    )
    func fullBus() throws {
        let machine = try SyntheticMachine()
        try machine.bus(1)
        try machine.bus(3, controller: "0000:00:1a.0")
        try machine.camera("usb1/1-1", node: 0, alternate: 5)
        try machine.camera("usb1/1-2", node: 1, product: "Cheap Webcam")
        try machine.program(4312, "obs", holding: ["/dev/video0"])
        let found = try shortage(machine)
        // 2048 bytes take 41 of 100 µs. Another 2048 bytes fit, but 3072 bytes (61 µs) don't.
        #expect(
            found
                == BandwidthShortage(
                    controller: "0000:00:14.0",
                    claims: [
                        BandwidthShortage.Claim(
                            device: "Studio Webcam (/dev/video0)",
                            holder: DeviceHolder(program: "obs", process: 4312),
                            share: BandwidthShortage.Share(bytes: 2048, percent: 41))
                    ], asked: BandwidthShortage.Share(bytes: 3072, percent: 61),
                    fitting: BandwidthShortage.Share(bytes: 2048, percent: 41),
                    fittingFormats: ["yuyv 640x480 at 10", "yuyv 320x240 at 30"],
                    freeControllers: ["0000:00:1a.0"]))
        let error = DeviceError(
            device: "/dev/video1", operation: "VIDIOC_STREAMON", reason: .noBandwidth(found))
        #expect(
            error.description
                == "/dev/video1: VIDIOC_STREAMON failed: the USB controller 0000:00:14.0 does not have enough free bandwidth for this device "
                + "(disk space is not the problem): Studio Webcam (/dev/video0), in use by `obs` (process 4312), reserves "
                + "2048 bytes per microframe (41 %), and this camera needs at least 3072 bytes per microframe (61 %). "
                + "Choose yuyv 640x480 at 10 or yuyv 320x240 at 30, or an mjpeg size that needs at most "
                + "2048 bytes per microframe (41 %), or connect this camera to a free port on controller 0000:00:1a.0."
        )
    }

    @Test("requests the bandwidth of its frames for a raw format")
    func raw() throws {
        let machine = try SyntheticMachine()
        try machine.bus(1)
        try machine.camera("usb1/1-1", node: 0, alternate: 6)
        try machine.camera("usb1/1-2", node: 1)
        // After 3072 bytes, there is enough bandwidth left for 1600 bytes. 2048 bytes don't fit. They
        // wouldn't be enough for 640×480 at 30 frames per second either, which needs 2316 bytes.
        let found = try shortage(machine, .yuyv, 640, 480)
        #expect(found.requested?.bytes == 3072)
        #expect(found.fitting?.bytes == 1600)
        #expect(found.claims.first?.holder == nil)
        #expect(
            USBShortage.rawBytes(
                VideoFormat(
                    pixel: .yuyv, size: FrameSize(width: 640, height: 480), rate: FrameRate(30)), at: .high)
                == 2316)
    }

    @Test("reports that no setting fits, and proposes nothing impossible")
    func nothingFits() throws {
        let machine = try SyntheticMachine()
        try machine.bus(1)
        try machine.camera("usb1/1-1", node: 0, alternate: 6)
        try machine.camera("usb1/1-3", node: 3, alternate: 4)
        try machine.camera("usb1/1-2", node: 1, descriptors: USBBytes.webcam(payloads: [1024, 3072]))
        let found = try shortage(machine)
        #expect(found.claims.map(\.share.bytes) == [3072, 1600])
        #expect(found.requested?.bytes == 1024 && found.fitting == nil && found.freeControllers.isEmpty)
        #expect(found.explanation.contains("None of the camera's formats fits in the remaining bandwidth"))
    }

    @Test("names no unverified cause if the bus has free bandwidth")
    func unknown() throws {
        let machine = try SyntheticMachine()
        try machine.bus(1)
        try machine.camera("usb1/1-2", node: 1)
        let found = try shortage(machine)
        #expect(found.claims.isEmpty && found.requested == nil)
        #expect(!found.explanation.contains("needs at least"))
        #expect(
            USBShortage(node: "/dev/video9", requested: nil, offers: [], sysfs: machine.sysfs).shortage == nil
        )
        let plain = DeviceError(device: "/dev/video0", operation: "VIDIOC_STREAMON", errno: ENOSPC)
        #expect(
            plain.explained(node: "/dev/video-none").description.contains("Choose mjpeg or a smaller size"))
    }

    @Test("explains errors with facts from the system")
    func explained() {
        let closed = DeviceError(device: "/dev/null", operation: "opening", errno: EACCES)
        let expected: AccessObstacle = Container.isDetected() ? .container : .forbidden
        #expect(closed.explained(node: "/dev/null").reason == .noPermission(expected))
        let busy = DeviceError(device: "/dev/video-none", operation: "opening", errno: EBUSY)
        #expect(busy.explained(node: "/dev/video-none").reason == .busy(by: nil))
    }
}
