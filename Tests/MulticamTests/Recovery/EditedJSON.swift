import Foundation
import MulticamSeededNoise

/// Edits JSON as a user, a script, or an accident would. The same seed gives the same edits.
struct EditedJSON {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    private static let numbers: [any Sendable] = [
        0, -1, 1, Int64(1) << 31, -(Int64(1) << 31), Int64.max, Int64.min, 1e300, -1e300, 0.5,
        Int64(1_000_000_000), Int64(5_000_000_000), Int64(100_000_000_000_000_000), 1e-300,
    ]
    private static let texts = [
        "", "..", "../../etc/passwd", "/dev/null", "cameras/../../x.mov", "cameras/desk.mov",
        "cameras/face.mov",
        "audio/host.wav", "cameras", "program.mp4", "recording", "finished", "recovered", "desk", "face-2",
        "\u{0}", "\u{1B}[2J", "mjpeg", "h264", "microphone", "camera", "program",
    ]

    /// Edits a JSON text in one to three places; occasionally the result isn't valid JSON.
    mutating func edit(_ data: Data) throws -> Data {
        guard !chance(of: 25) else { return torn(data) }
        var value: Any
        do { value = try JSONSerialization.jsonObject(with: data) } catch {
            // A previous edit made the text invalid.
            return torn(data)
        }
        for _ in 0...below(3) { value = edited(value, depth: 0) }
        guard JSONSerialization.isValidJSONObject(value) else { return torn(data) }
        return try JSONSerialization.data(withJSONObject: value, options: [.sortedKeys])
    }

    /// Edits a file of JSON lines.
    mutating func editLines(_ data: Data) throws -> Data {
        var lines = data.split(separator: UInt8(ascii: "\n")).map { Data($0) }
        for _ in 0...below(3) where !lines.isEmpty {
            let index = below(lines.count)
            switch below(6) {
            case 0: lines.remove(at: index)
            case 1: lines.insert(lines[below(lines.count)], at: index)
            case 2: lines.swapAt(index, below(lines.count))
            default: lines[index] = try edit(lines[index])
            }
        }
        return Data(lines.joined(separator: [UInt8(ascii: "\n")])) + Data("\n".utf8)
    }

    /// Returns a uniformly distributed number in 0 ..< count.
    mutating func below(_ count: Int) -> Int { Int(generator.next() % UInt64(max(count, 1))) }

    mutating func chance(of one: Int) -> Bool { below(one) == 0 }

    private mutating func torn(_ data: Data) -> Data {
        switch below(4) {
        case 0: return data.prefix(below(data.count))
        case 1: return data.prefix(below(data.count)) + Data(repeating: 0, count: 4096)
        case 2: return Data(String(repeating: "[", count: 100_000).utf8)
        default: return data.prefix(below(data.count)) + Data([0xFF, 0xFE]) + data.suffix(below(data.count))
        }
    }

    /// Descends to a random position and edits the value there.
    private mutating func edited(_ value: Any, depth: Int) -> Any {
        if var fields = value as? [String: Any], !fields.isEmpty, depth == 0 || !chance(of: 8) {
            let keys = fields.keys.sorted()
            let key = keys[below(keys.count)]
            if depth > 0 || chance(of: 3), chance(of: 6) {
                fields[key] = nil
            } else if chance(of: 10) {
                let other = keys[below(keys.count)]
                (fields[key], fields[other]) = (fields[other], fields[key])
            } else if let field = fields[key] {
                fields[key] = edited(field, depth: depth + 1)
            }
            return fields
        }
        if var elements = value as? [Any], !elements.isEmpty, !chance(of: 8) {
            let index = below(elements.count)
            switch below(8) {
            case 0: elements.remove(at: index)
            case 1: elements.append(elements[index])
            case 2: elements.swapAt(index, below(elements.count))
            default: elements[index] = edited(elements[index], depth: depth + 1)
            }
            return elements
        }
        return other(than: value)
    }

    private mutating func other(than value: Any) -> Any {
        // The new value mostly has the same type, because a different type is refused early.
        if value is NSNumber, !chance(of: 6) { return Self.numbers[below(Self.numbers.count)] }
        if value is String, !chance(of: 6) { return Self.texts[below(Self.texts.count)] }
        switch below(7) {
        case 0: return NSNull()
        case 1: return true
        case 2: return [Any]()
        case 3: return [String: Any]()
        case 4: return String(repeating: "x", count: 1 << 20)
        case 5: return (0..<300).reduce(0 as Any) { inner, _ in [inner] }
        default: return Self.numbers[below(Self.numbers.count)]
        }
    }
}
