internal import FoundationEssentials

/// What a request to `/api/v1/cameras/ROLE/controls` asks for, in the words of `multicam ctl`: the recorder, which has the camera open,
/// does it.
struct ControlsOrder: Equatable {
    /// The camera's role.
    let role: String
    /// The words for the recorder.
    let words: [String]

    /// Most controls that are set at once: no camera has as many.
    private static let mostSettings = 64

    /// A value as JSON has it: a number, a word of a menu, or a switch.
    private enum Value: Decodable {
        case number(Int64)
        case word(String)
        case flag(Bool)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let flag = try Self.tried({ try container.decode(Bool.self) }) {
                self = .flag(flag)
            } else if let number = try Self.tried({ try container.decode(Int64.self) }) {
                self = .number(number)
            } else {
                self = .word(try container.decode(String.self))
            }
        }

        private static func tried<Found>(_ decode: () throws -> Found) throws -> Found? {
            do {
                return try decode()
            } catch is DecodingError {
                return nil
            }
        }

        var text: String {
            switch self {
            case .number(let number): String(number)
            case .word(let word): word
            case .flag(let flag): flag ? "on" : "off"
            }
        }
    }

    private struct Body: Decodable {
        var set: [String: Value]?
        var load: String?
        var save: String?
        var forget: String?
        var match: String?
    }

    /// The camera's role, when a path is that of its controls. The path is decoded already.
    static func role(of path: String) -> String? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map {
            String($0)
        }
        guard parts.count == 5, Array(parts.prefix(3)) == ["api", "v1", "cameras"], parts[4] == "controls",
            !parts[3].isEmpty
        else { return nil }
        return parts[3]
    }

    /// Asks for the controls as they are.
    init(role: String) { (self.role, words) = (role, ["controls", role]) }

    /// Reads a request's body; `nil` when it asks for nothing, or for several things at once.
    init?(role: String, _ body: Data) {
        let fields: Body
        do {
            fields = try JSONDecoder().decode(Body.self, from: body)
        } catch {
            return nil
        }
        var orders: [[String]] = []
        if let set = fields.set, !set.isEmpty, set.count <= Self.mostSettings {
            let settings = set.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.text)" }
            orders.append(["controls", role] + settings)
        }
        if let name = fields.load { orders.append(["load-preset", role, name]) }
        if let name = fields.save { orders.append(["keep-preset", role, name]) }
        if let name = fields.forget { orders.append(["forget-preset", role, name]) }
        if let leader = fields.match { orders.append(["match", role, leader]) }
        guard orders.count == 1 else { return nil }
        (self.role, words) = (role, orders[0])
    }
}
