import Foundation
import MulticamMedia
import MulticamSessionFolder
import Testing

@testable import multicam

@Suite("Text output of devices")
struct DeviceWordsTests {
    /// Malicious 4 KB texts from a device, which could corrupt a terminal, a JSON line, or a page.
    private static let hostile = String(repeating: "\u{1B}[2J\r\n\u{202E}\u{0}\"<b>", count: 400)

    private static func camera(
        _ word: String, problem: CaptureDevice.Problem? = nil, companion: DeviceIdentity? = nil
    ) -> CaptureDevice {
        let identity = DeviceIdentity(
            busPath: "pci-\(word)", product: "046d:\(word)", serial: "S\(word)", name: "N\(word)")
        return CaptureDevice(
            mediaType: .video, deviceType: .external, isTypeKnown: false, identity: identity,
            name: "N\(word)",
            node: "/dev/\(word)", selector: "usb:\(word)", controller: "c\(word)", busSpeed: 480,
            companion: companion,
            formats: [
                OfferedFormat(
                    pixel: .mjpeg, nativeName: "M\(word)", size: FrameSize(width: 640, height: 480),
                    rates: .listed([FrameRate(30)]))
            ],
            controls: [
                DeviceControl(
                    name: "c\(word)", value: 1, minimum: 0, maximum: 2, step: 1, defaultValue: 0,
                    menu: [0: "m\(word)"])
            ], problem: problem)
    }

    @Test("4 KB texts with control characters corrupt neither the list nor a JSON line")
    func hostileWords() throws {
        let identity = DeviceIdentity(name: "M\(Self.hostile)")
        for problem in [.failing(Self.hostile), .inUse(by: Self.hostile), .noPermission(group: Self.hostile)]
            as [CaptureDevice.Problem]
        {
            let device = Self.camera(Self.hostile, problem: problem, companion: identity)
            let change = try #require(DeviceChangeText(.connected(device), date: Date()))
            for line in DevicesText.of(device).split(separator: "\n") + [Substring(change.line)] {
                #expect(String(line).printable(limit: 2000) == line)
            }
            let line = JSONText.line(DevicesText.json(device))
            #expect(line.utf8.count < 8000)
            #expect(line.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 0x202E })
            #expect(change.json.contains(line))
            #expect(!line.contains("\\u00"))
        }
    }

    @Test("an unknown type is marked as such, with the command to set it")
    func unknownType() throws {
        let device = Self.camera("x")
        #expect(
            DevicesText.of(device).contains(
                "  type       external (not reported by the system; set it with `multicam devices --set usb:x --type built-in`"
            ))
        let json =
            try JSONSerialization.jsonObject(
                with: Data(JSONText.line(DevicesText.json(device)).utf8)) as? [String: Any]
        #expect(json?["type_known"] as? Bool == false)
        #expect(json?["type"] as? String == "external")
        #expect(json?["kind"] as? String == "camera")
        #expect(json?["mounting"] as? Int == 0)
        #expect(json?["position"] as? String == "unspecified")
    }

    @Test("a change is one line with time, sign, kind, name, selector, and the change")
    func lines() throws {
        let date = Date(timeIntervalSince1970: 1_700_000_000.25)
        let closed = Self.camera("x", problem: .noPermission(group: "video"))
        let open = Self.camera("x")
        func line(_ change: DeviceChange) throws -> String {
            let text = try #require(DeviceChangeText(change, date: date)).line
            // The hour depends on the local time zone.
            #expect(text.dropFirst(5).hasPrefix(":20.250 "))
            return String(text.dropFirst(13))
        }
        #expect(try line(.present(open)) == "= camera Nx  usb:x")
        #expect(
            try line(.connected(closed))
                == "+ camera Nx  usb:x  no permission; join the group with `sudo usermod -aG video $USER`, then log in again"
        )
        #expect(try line(.changed(open, before: closed)) == "~ camera Nx  usb:x  available now")
        #expect(try line(.disconnected(open)) == "- camera Nx  usb:x")
        let joined = Self.camera("x", companion: DeviceIdentity(name: "Mic"))
        #expect(
            try line(.changed(joined, before: open))
                == "~ camera Nx  usb:x  the associated microphone is now Mic")
        let problem = DeviceError(device: "PulseAudio", operation: "connecting", reason: .notFound)
        #expect(DeviceChangeText(.problem(problem), date: date) == nil)
    }
}
