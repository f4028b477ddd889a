/// The program that has a device, as far as proc(5) tells.
public struct DeviceHolder: Sendable, Hashable {
    /// Its name, without control characters.
    public let program: String
    public let process: Int32

    public init(program: String, process: Int32) {
        self.program = program.printable()
        self.process = process
    }
}

extension DeviceHolder: CustomStringConvertible {
    /// `obs` (process 4312), with the name in backticks.
    public var description: String { "`\(program)` (process \(process))" }
}
