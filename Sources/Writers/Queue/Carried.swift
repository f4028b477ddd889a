/// Carries a value that is not `Sendable` to the one thread that uses it.
package struct Carried<Value>: @unchecked Sendable {
    // The maker gives the value away (`sending`); only the receiving thread reads it.
    /// The value, for the receiving thread alone.
    package let value: Value

    /// Takes the value from its maker.
    package init(_ value: sending Value) {
        self.value = value
    }
}
