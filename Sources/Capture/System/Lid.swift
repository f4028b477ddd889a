/// The lid of a portable computer, as the kernel's ACPI button driver tells of it.
package enum Lid {
    /// Looks whether a lid is closed.
    ///
    /// - Parameter folder: Where the driver's files are.
    /// - Returns: `false` also where there is no lid, or the kernel does not say.
    package static func isClosed(folder: String = "/proc/acpi/button/lid") -> Bool {
        Paths.entries(of: folder).contains { name in
            Paths.text("\(folder)/\(name)/state")?.hasSuffix("closed") ?? false
        }
    }
}
