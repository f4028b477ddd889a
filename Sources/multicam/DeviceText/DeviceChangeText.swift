import Containers
import FoundationEssentials
import Media
import Plan
import SessionFolder

/// A change of the devices as a line, for people and as JSON.
struct DeviceChangeText {
    private let name: String
    private let sign: String
    private let device: CaptureDevice
    private let remark: String
    private let date: Date

    /// Describes a change of a device; `nil` when the change concerns no device.
    init?(_ change: DeviceChange, date: Date) {
        switch change {
        case .present(let device): (name, sign, self.device) = ("present", "=", device)
        case .arrived(let device): (name, sign, self.device) = ("arrived", "+", device)
        case .departed(let device): (name, sign, self.device) = ("departed", "-", device)
        case .changed(let device, _): (name, sign, self.device) = ("changed", "~", device)
        case .problem: return nil
        }
        remark =
            switch change {
            case .changed(let device, let before): Self.difference(device, before)
            case .present(let device), .arrived(let device): device.problem.map(DevicesText.sentence) ?? ""
            case .departed, .problem: ""
            }
        self.date = date
    }

    /// Describes the device that is preferred from now on; `nil` when there is none.
    init?(preferred: PreferredDevice?, date: Date) {
        guard let preferred else { return nil }
        (name, sign, device) = (
            preferred.device.mediaType == .video ? "preferred" : "default", "*", preferred.device
        )
        remark = PreferenceText.sentence(preferred.reason, preferred.device)
        self.date = date
    }

    /// Time, sign, kind, name, selector and a remark: `14:02:11.250 + camera Webcam  usb:…  in use by obs`.
    var line: String {
        let time = time.dropFirst("2026-11-22T".count).prefix("08:34:12.250".count)
        let words =
            "\(time) \(sign) \(DevicesText.kind(device)) \(device.name.printable())  \(device.selector.printable())"
        return remark.isEmpty ? words : "\(words)  \(remark)"
    }

    /// A JSON object with `event`, `at` in ISO 8601, and `device` as in the list of devices.
    var json: String {
        return JSONText.line(
            JSONValue.object([
                "event": .string(name), "at": .string(time), "device": DevicesText.json(device),
            ]))
    }

    /// The local time in ISO 8601, `2026-11-22T08:34:12.250+01:00`.
    private var time: String {
        let zone = TimeZone(secondsFromGMT: LocalTime.secondsFromGMT(at: date)) ?? .gmt
        return date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true, timeZone: zone))
    }

    private static func difference(_ device: CaptureDevice, _ before: CaptureDevice) -> String {
        var words: [String] = []
        if device.problem != before.problem {
            words.append(device.problem.map(DevicesText.sentence) ?? "can be used now")
        }
        if device.companion != before.companion {
            let other = device.mediaType == .video ? "microphone" : "camera"
            words.append(
                device.companion.map { "its \(other) is \($0.name.printable())" } ?? "its \(other) is away")
        }
        if device.position != before.position { words.append("position \(device.position.rawValue)") }
        if device.mounting != before.mounting {
            words.append("mounted turned by \(device.mounting.degrees)°")
        }
        if device.isDefault != before.isDefault {
            words.append(device.isDefault ? "the sound server's default now" : "no longer the default")
        }
        if device.identity != before.identity {
            words.append("identity \(device.identity.description.printable())")
        }
        return words.isEmpty ? "its formats, controls or type" : words.joined(separator: ", ")
    }
}
