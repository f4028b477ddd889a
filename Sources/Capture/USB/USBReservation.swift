package import Media

/// A share of a bus that is kept for one isochronous endpoint, whether it sends or not.
package struct USBReservation: Sendable, Hashable {
    /// The most in one turn.
    package let bytes: Int
    /// From one turn to the next, in microframes of 125 µs.
    package let microframes: Int
    /// That one turn takes on the bus.
    package let busTime: Nanoseconds
}
