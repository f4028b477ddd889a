/// One adjustable property of a camera, by its V4L2 name in snake case (`focus_automatic_continuous`).
public struct DeviceControl: Sendable, Hashable, Codable {
    public let name: String
    public let value: Int64
    public let minimum: Int64
    public let maximum: Int64
    public let step: Int64
    public let defaultValue: Int64
    /// Choices of a menu control by their index.
    public let menu: [Int64: String]
    public let isReadOnly: Bool

    public init(
        name: String, value: Int64, minimum: Int64, maximum: Int64, step: Int64, defaultValue: Int64,
        menu: [Int64: String] = [:], isReadOnly: Bool = false
    ) {
        self.name = name
        self.value = value
        self.minimum = minimum
        self.maximum = maximum
        self.step = step
        self.defaultValue = defaultValue
        self.menu = menu
        self.isReadOnly = isReadOnly
    }
}
