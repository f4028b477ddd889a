import MulticamCapture
import MulticamMedia
import MulticamSyntheticMachines
import Testing

@testable import MulticamSetup

@Suite("Hardware encoder detection on simulated machines")
struct EncoderDetectionTests {
    private static let chip = CodecNode(
        node: "/dev/video11", name: "bcm2835-codec-encode", driver: "bcm2835-codec", encodesH264: true)
    private static let decoder = CodecNode(
        node: "/dev/video10", name: "bcm2835-codec-decode", driver: "bcm2835-codec", encodesH264: false)

    private func detected(
        _ files: SyntheticMachine, chips: [CodecNode] = [],
        library: Set<String> = Set(EncoderDetection.libraries)
    ) -> [HardwareEncoder] {
        EncoderDetection(
            root: files.root, codecNodes: chips, libraryEncoders: library,
            libraryVersion: "libavcodec 59.37.100"
        ).encoders
    }

    /// Adds a card with a render node, as presented by the kernel.
    static func card(_ files: SyntheticMachine, _ node: Int, driver: String, vendor: String, device: String)
        throws
    {
        let folder = "sys/devices/pci0000:00/0000:0\(node - 127):00.0"
        try files.write("\(folder)/vendor", "0x\(vendor)\n")
        try files.write("\(folder)/device", "0x\(device)\n")
        try files.link("\(folder)/driver", to: "sys/bus/pci/drivers/\(driver)")
        try files.link("sys/class/drm/renderD\(node)/device", to: folder)
        try files.write("dev/dri/renderD\(node)", "")
        try files.write("dev/dri/card\(node - 128)", "")
        try files.write("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n")
    }

    @Test("a machine without hardware encoders reports none")
    func none() throws {
        let files = try SyntheticMachine()
        #expect(detected(files).isEmpty)
        #expect(detected(files, chips: [Self.decoder]).isEmpty)
    }

    @Test("a card with a render node uses VAAPI, and is identified by its driver, kernel, and IDs")
    func vaapi() throws {
        let files = try SyntheticMachine()
        try Self.card(files, 128, driver: "amdgpu", vendor: "1002", device: "164e")
        #expect(
            detected(files) == [
                HardwareEncoder(
                    library: "h264_vaapi", node: "/dev/dri/renderD128", device: "amdgpu 1002:164e",
                    driver: "amdgpu 6.1.0-18-amd64, libavcodec 59.37.100")
            ])
    }

    @Test("an NVIDIA card uses only NVENC, and comes first")
    func nvidia() throws {
        let files = try SyntheticMachine()
        try Self.card(files, 128, driver: "i915", vendor: "8086", device: "46a6")
        try Self.card(files, 129, driver: "nvidia", vendor: "10de", device: "2504")
        try files.write("dev/nvidia0", "")
        try files.write("dev/nvidiactl", "")
        try files.write("sys/module/nvidia/version", "535.183.01\n")
        try files.write(
            "proc/driver/nvidia/gpus/0000:01:00.0/information",
            "Model: \t\t NVIDIA GeForce RTX 3060\nIRQ:   \t\t 89\n")
        let found = detected(files, chips: [Self.decoder, Self.chip])
        #expect(found.map(\.library) == ["h264_nvenc", "h264_vaapi", "h264_v4l2m2m"])
        #expect(found.map(\.node) == ["/dev/nvidia0", "/dev/dri/renderD128", "/dev/video11"])
        #expect(found[0].device == "NVIDIA GeForce RTX 3060")
        #expect(found[0].driver == "nvidia 535.183.01, libavcodec 59.37.100")
        #expect(found[2].device == "bcm2835-codec-encode")
        #expect(
            detected(files, chips: [Self.chip], library: ["h264_v4l2m2m"]).map(\.library) == ["h264_v4l2m2m"])
    }

    @Test("results from another driver or kernel count as unknown")
    func otherDriver() throws {
        let files = try SyntheticMachine()
        try Self.card(files, 128, driver: "amdgpu", vendor: "1002", device: "164e")
        var costs = MachineCosts()
        for encoder in detected(files) {
            costs.record(TriedEncoder(encoder: encoder, outcome: .fails(reason: "once.")))
            costs.record(TriedEncoder(encoder: encoder, outcome: .fails(reason: "twice.")))
        }
        #expect(costs.encoders?.map(\.outcome) == [.fails(reason: "twice.")])
        #expect(costs.results(for: detected(files)).count == 1)
        try files.write("proc/sys/kernel/osrelease", "6.1.0-22-amd64\n")
        #expect(costs.results(for: detected(files)).isEmpty)
        for encoder in detected(files) {
            costs.record(TriedEncoder(encoder: encoder, outcome: .fails(reason: "anew.")))
        }
        #expect(costs.encoders?.map(\.outcome) == [.fails(reason: "anew.")])
    }

    @Test("invalid files don't cause a crash")
    func nonsense() throws {
        let files = try SyntheticMachine()
        try files.write("dev/nvidia0", "")
        try files.write("dev/dri/renderD128", "")
        try files.write("proc/driver/nvidia/gpus/x/information", "Model:\u{1B}[31m\u{0}\n")
        let found = detected(files)
        #expect(found.count == 2)
        #expect(found.allSatisfy { $0.device == $0.device.printable() && $0.driver == $0.driver.printable() })
    }
}
