/// The program that has a device, as far as proc(5) tells.
public struct DeviceHolder: Sendable, Hashable {
    /// Its name, without control characters.
    public let program: String
    public let process: Int32
    /// What it does with it, such as `records profile “pip” into /home/ann/recordings/talk`, where it says so.
    public var activity: String?

    public init(program: String, process: Int32, activity: String? = nil) {
        self.program = program.printable()
        self.process = process
        self.activity = activity
    }
}

extension DeviceHolder: CustomStringConvertible {
    /// `obs` (process 4312), with the name in backticks.
    public var description: String { "`\(program)` (process \(process))" }
}
