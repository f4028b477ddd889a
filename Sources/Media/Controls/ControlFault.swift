/// Why a control does not get a value.
public enum ControlFault: Error, Sendable, Equatable {
    /// The camera has no control of that name. `names`: all that it has.
    case unknown(String, names: [String])
    case outOfRange(Int64, Int64, Int64, step: Int64)
    /// Of a mask; all the bits that it has.
    case noBits(Int64, of: Int64)
    /// Of a menu; each choice as a person reads it.
    case noChoice(String, choices: [String])
    /// A word that means no value of this control.
    case noNumber(String, expected: String)
    case readOnly
    /// Another control has it in its hands; with the value of that one at which it does not, where known.
    case governed(by: String?, manual: Int64?)
    /// The camera answered with an error, though the value is one that it says it can have.
    case refused(Int64)
    /// Nothing is kept of the camera under that name; the names under which something is.
    case noPreset([String])

    /// Whether what was asked is wrong, and will be tomorrow.
    public var isUsage: Bool {
        switch self {
        case .unknown, .outOfRange, .noBits, .noChoice, .noNumber, .readOnly, .governed, .noPreset: true
        case .refused: false
        }
    }
}

extension ControlFault: CustomStringConvertible {
    /// A sentence, or two, after “setting … failed:”.
    public var description: String {
        switch self {
        case .unknown(let name, let names):
            let near = Self.near(name, among: names)
            if names.isEmpty { return "this camera has no controls." }
            if near.count == names.count {
                return "it has no such control. It has \(names.joined(separator: ", "))."
            }
            return "it has no such control; the nearest that it has: \(near.joined(separator: ", "))."
        case .outOfRange(let value, let minimum, let maximum, let step):
            let steps = step > 1 ? " in steps of \(step)" : ""
            return "\(value) is not possible. Choose \(minimum) to \(maximum)\(steps)."
        case .noBits(let value, let all):
            return "\(value) is not possible. Choose a sum of bits of \(all)."
        case .noChoice(let word, let choices):
            return "\(word.printable()) is no choice. Choose \(choices.joined(separator: ", "))."
        case .noNumber(let word, let expected):
            return "\(word.printable()) means nothing here. Choose \(expected)."
        case .readOnly: return "this control can only be read."
        case .governed(let governor?, let manual?):
            return "not while \(governor) governs it. Set \(governor)=\(manual) as well."
        case .governed(let governor?, nil):
            return "not while \(governor) governs it. Switch that off as well."
        case .governed(nil, _):
            return "not now. Switch off the automatic control that governs it, or stop the recording."
        case .noPreset(let names):
            let list = names.map { $0.printable() }.joined(separator: ", ")
            return "nothing is kept of this camera under that name. "
                + (names.isEmpty
                    ? "Keep something with `multicam controls CAMERA --save NAME`." : "There are: \(list).")
        case .refused(let value): return "the camera refuses \(value). Try another value."
        }
    }

    /// At most five names that may have been meant: the one that is spelled most alike, then those that share a word of some
    /// length. All there are where none does.
    package static func near(_ name: String, among names: [String]) -> [String] {
        func stems(_ name: String) -> Set<String> {
            Set(name.lowercased().split(separator: "_").filter { $0.count > 2 }.map { String($0.prefix(4)) })
        }
        let wanted = stems(name)
        let alike = [name.nearest(among: names)].compactMap { $0 }
        let related = names.filter { !alike.contains($0) && !stems($0).isDisjoint(with: wanted) }
        let near = (alike + related).prefix(5)
        return near.isEmpty ? names : Array(near)
    }
}
