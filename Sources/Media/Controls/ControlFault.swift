/// The reason why a control does not get a value.
public enum ControlFault: Error, Sendable, Equatable {
    /// The camera has no control of that name; `names` are all that it has.
    case unknown(String, names: [String])
    /// The value does not lie between the minimum and the maximum, or not on the steps: value, minimum, maximum.
    case outOfRange(Int64, Int64, Int64, step: Int64)
    /// The value has bits that the control's mask does not have; `of` are all bits of the mask.
    case noBits(Int64, of: Int64)
    /// The word is no item of the menu; `choices` are its items as a person reads them.
    case noChoice(String, choices: [String])
    /// The word means no value of this control; `expected` says what does.
    case noNumber(String, expected: String)
    /// The control can only be read.
    case readOnly
    /// An automatic control governs this one. `by` is its name, and `manual` its value at which it does not, where known.
    case governed(by: String?, manual: Int64?)
    /// The camera answered with an error, though the value is one that it says it can have.
    case refused(Int64)
    /// No preset of that name is saved for the camera; the names of those that are.
    case noPreset([String])

    /// Whether the request itself is wrong, so that repeating it later fails too.
    public var isUsage: Bool {
        switch self {
        case .unknown, .outOfRange, .noBits, .noChoice, .noNumber, .readOnly, .governed, .noPreset: true
        case .refused: false
        }
    }
}

extension ControlFault: CustomStringConvertible {
    /// One or two sentences, to stand after “setting … failed:”.
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

    /// The names that may have been meant, at most five: the one that is spelled most alike, then those that share the
    /// beginning of a word. All names where none does.
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
