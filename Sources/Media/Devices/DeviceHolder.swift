/// The program that uses a device, as far as proc(5) tells.
public struct DeviceHolder: Sendable, Hashable {
    /// The program's name, without control characters.
    public let program: String
    /// The program's process number.
    public let process: Int32
    /// The program's own words for what it does with the device, such as `records profile “pip” into
    /// /home/ann/recordings/talk`; `nil` where it gives none.
    public var activity: String?

    /// Makes a value, and makes the program's name printable.
    public init(program: String, process: Int32, activity: String? = nil) {
        self.program = program.printable()
        self.process = process
        self.activity = activity
    }
}

extension DeviceHolder: CustomStringConvertible {
    /// The program in backticks and its process number, as in “obs (process 4312)”.
    public var description: String { "`\(program)` (process \(process))" }
}
