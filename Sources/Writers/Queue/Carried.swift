/// Takes a value that is not `Sendable` to the one thread that uses it.
package struct Carried<Value>: @unchecked Sendable {
    // The maker gives the value away (`sending`); only the receiving thread reads it.
    package let value: Value

    package init(_ value: sending Value) {
        self.value = value
    }
}
