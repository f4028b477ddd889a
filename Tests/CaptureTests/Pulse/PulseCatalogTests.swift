import Foundation
import Glibc
import MulticamMedia
import Testing

@testable import MulticamCapture

@Suite("Microphones of the sound server")
struct PulseCatalogTests {
    private static func source(
        _ name: String, _ description: String, isMonitor: Bool = false, isDefault: Bool = false
    ) -> PulseSource {
        PulseSource(
            name: name, description: description, format: AudioFormat(rate: 48_000, channels: 1),
            isMonitor: isMonitor, isDefault: isDefault)
    }

    private static let sources = [
        source("alsa_input.usb-046d_C270-02.mono", "C270 HD Webcam Mono", isDefault: true),
        source("alsa_input.usb-046d_C920-02.stereo", "C920 Webcam Stereo"),
        source("alsa_input.usb-046d_C920-02.stereo.2", "Second microphone"),
        source("alsa_output.hdmi.monitor", "Monitor of HDMI", isMonitor: true),
    ]

    @Test(
        "resolves a selector to its source",
        arguments: [
            ("default", 0),
            ("pulse:alsa_input.usb-046d_C920-02.stereo", 1),
            ("pulse:alsa_output.hdmi.monitor", 3),
            ("c270", 0),
            ("SECOND", 2),
            // An exact name takes precedence over a substring match.
            ("alsa_input.usb-046d_C920-02.stereo", 1),
        ])
    func found(selector: String, index: Int) throws {
        #expect(try PulseCatalog.resolve(selector, among: Self.sources) == Self.sources[index])
    }

    @Test(
        "reports a selector that matches no microphone as not found",
        arguments: ["", "hdmi", "c930", "pulse:C270", "pulse:", "Default"])
    func notFound(selector: String) {
        let error = #expect(throws: DeviceError.self) {
            try PulseCatalog.resolve(selector, among: Self.sources)
        }
        #expect(error?.reason == .notFound)
        #expect(error?.device == selector)
    }

    @Test("lists all microphones that an ambiguous selector matches")
    func ambiguous() {
        let error = #expect(throws: DeviceError.self) {
            try PulseCatalog.resolve("webcam", among: Self.sources)
        }
        #expect(
            error?.reason
                == .ambiguous(candidates: [
                    "pulse:alsa_input.usb-046d_C270-02.mono", "pulse:alsa_input.usb-046d_C920-02.stereo",
                ]))
    }

    @Test("never selects the monitor of an output as the default microphone")
    func monitorAsDefault() {
        let sources = [
            Self.sources[1], Self.source("out.monitor", "Monitor", isMonitor: true, isDefault: true),
        ]
        let error = #expect(throws: DeviceError.self) { try PulseCatalog.resolve("default", among: sources) }
        #expect(error?.reason == .notFound)
        #expect(error?.description.contains("monitor of an output") == true)
        let other = #expect(throws: DeviceError.self) { try PulseCatalog.resolve("default", among: []) }
        #expect(other?.reason == .notFound)
    }

    @Test("describes a source as a catalog device with its USB properties")
    func device() {
        let source = PulseSource(
            name: "alsa_input.usb", description: "C270\u{1B}[2J",
            format: AudioFormat(rate: 16_000, channels: 2),
            sysfsPath: "/devices/pci0000:00/sound/card1", busPath: "pci-0000:00:14.0-usb-0:2:1.2",
            vendor: "046d",
            product: "0825", serial: "A1")
        let device = source.captureDevice
        #expect(device.mediaType == .audio)
        #expect(device.deviceType == .microphone)
        #expect(device.selector == "pulse:alsa_input.usb")
        #expect(device.node == "alsa_input.usb")
        #expect(device.name == "C270?[2J")
        #expect(device.identity.product == "046d:0825")
        #expect(device.identity.busPath == "pci-0000:00:14.0-usb-0:2:1.2")
        #expect(device.audio == AudioFormat(rate: 16_000, channels: 2))
    }

    @Test("lists a real server's sources, and monitors of outputs only on request")
    func realServer() throws {
        let server = try PulseServer(
            "load-module module-sine-source source_name=tone rate=16000",
            "load-module module-null-sink sink_name=speaker rate=44100 channels=2",
            "set-default-source speaker.monitor")
        let microphones = try PulseCatalog.microphones(server: server.address)
        #expect(microphones.map(\.name) == ["tone"])
        #expect(microphones.first?.format == AudioFormat(rate: 16_000, channels: 1))
        #expect(microphones.first?.isDefault == false)
        let all = try PulseCatalog.microphones(includeMonitors: true, server: server.address)
        let monitor = try #require(all.first { $0.name == "speaker.monitor" })
        #expect(monitor.isMonitor && monitor.isDefault)
        #expect(monitor.format == AudioFormat(rate: 44_100, channels: 2))
        #expect(all.count == 2)
    }

    @Test("reports the reason promptly without a server, and leaves no threads behind")
    func noServer() throws {
        // The library's threads have this name; threads that exit during the count are not counted.
        func threads() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count {
                FileManager.default.contents(atPath: "/proc/self/task/\($0)/comm") == Data("pulse\n".utf8)
            }
        }
        for _ in 0..<40 {
            let error = #expect(throws: DeviceError.self) {
                try PulseCatalog.microphones(server: "unix:/nonexistent/socket")
            }
            #expect(error?.reason == .noSoundServer("Connection refused"))
            #expect(error?.device == "PulseAudio")
        }
        // Other tests connect to servers at the same time; 40 leaked threads would exceed the limit.
        #expect(try threads() < 30)
    }

    @Test("times out on a server that accepts the connection and never answers")
    func deafServer() throws {
        let server = try UnresponsiveServer()
        let error = #expect(throws: DeviceError.self) {
            _ = try PulseConnection(server: server.address, timeLimit: .seconds(1))
        }
        #expect(error?.reason == .noSoundServer("no response within 1 s"))
    }
}
