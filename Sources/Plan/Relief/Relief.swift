/// The resources that a step makes easier for a session, or that a session is short of.
public struct Relief: OptionSet, Sendable, Hashable {
    /// The resources as bits.
    public let rawValue: Int

    /// Creates a set of resources from its bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Processor time and hardware encoders; with less work for them come less heat and a battery that lasts longer.
    public static let processor = Relief(rawValue: 1)
    /// Memory of the computer.
    public static let memory = Relief(rawValue: 2)
    /// The speed of the disk, and its room.
    public static let storage = Relief(rawValue: 4)
    /// Bandwidth that cameras reserve on USB controllers.
    public static let bus = Relief(rawValue: 8)

    /// Creates the set with the kind of one resource that `HardwareCost` names, as `usb:1`; empty for an unknown name.
    init(ofResource resource: String) {
        switch resource.prefix(while: { $0 != ":" }) {
        case "cpu", "thread", "encoder": self = .processor
        case "memory": self = .memory
        case "disk", "disk-space": self = .storage
        case "usb": self = .bus
        default: self = []
        }
    }
}
