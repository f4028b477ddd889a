import MulticamMedia

@testable import MulticamControlRoom
@testable import MulticamMediaLink
@testable import MulticamMediaServing

/// Tests messages from a phone to the control room, separated by the ASCII record separator: text, which
/// starts with a brace, and binary data.
final class PhoneBytes: FuzzTarget {
    static let name = "phone"
    static let limit = 4096

    init(folder: String) {}

    func check(_ bytes: [UInt8]) throws(RuleViolation) {
        var said = 0
        let wire = PhoneConnection.Transport(
            send: { said += $0.utf8.count }, close: {}, disconnect: {}, endIfStalled: { _ in })
        var now = ClockTime(nanoseconds: 5_000_000_000_000)
        let link = PhoneConnection(wire, at: now)
        // The clock request is answered immediately, so that subsequent messages get a time.
        for id in 1...8 {
            link.queryClock(at: now)
            now = now + .milliseconds(101)
            _ = link.handle(text: #"{"type":"pong","id":\#(id),"at_us":\#(id * 101_000)}"#, at: now)
        }
        for part in bytes.split(separator: 0x1E) {
            now = now + .milliseconds(1)
            let news =
                part.first == UInt8(ascii: "{")
                ? link.handle(text: String(decoding: part, as: UTF8.self), at: now)
                : Array(part).withUnsafeBytes { link.handle($0, at: now) }
            switch news {
            case .none: break
            case .offer(let offer):
                try require(
                    offer.selector == "phone:\(offer.name)" && offer.name.utf8.count <= 32,
                    "a phone is called \(offer.name)")
                try require(offer.format.size.isPlausible, "a phone has frames of \(offer.format.size)")
                link.admit()
            case .media(let media):
                try require((0..<1 << 53).contains(media.number), "a frame has the number \(media.number)")
                try require(media.bytes.count <= PhoneMedia.longest, "a frame has \(media.bytes.count) bytes")
                try require(media.error >= .zero, "the error of a time is \(media.error)")
            case .controls(let told):
                for control in DeviceControl.controls(reported: told.controls) {
                    try require(
                        control.minimum <= control.maximum && control.step > 0, "\(control) has no range")
                    for text in control.menu.values { try requireDisplayable(text) }
                }
            case .localRecording: break
            case .piece(_, let offset, let bytes):
                try require(
                    (0..<1 << 53).contains(offset) && bytes.count <= 1 << 20, "a piece lies at \(offset)")
            case .fault(let sentence), .protocolViolation(let sentence):
                return try requireDisplayable(sentence)
            }
        }
        try require(said < 1 << 16, "a phone was told \(said) bytes")
    }
}
