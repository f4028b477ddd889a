internal import Media

/// When a packet's frame was captured, as it was known when the packet came. It is given out later, and its stamp may mean another time then.
struct PacketDate {
    /// When it was captured.
    let time: ClockTime
    /// Whether its stamp counts another time than those before it.
    let isRebased: Bool
}
