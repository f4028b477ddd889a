internal import Media

/// A screen, a window or a part of a screen that can be looked at. Belongs to the thread that makes it.
protocol Screen: AnyObject {
    /// Looks at the screen. Blocks for some milliseconds, and for at most some seconds.
    ///
    /// - Parameter isForced: Whether to fetch what it shows though nothing has changed.
    /// - Returns: When it looked so, and whether it looks otherwise than before.
    /// - Throws: `SourceError` when there is nothing to be seen: the display has gone, the window is closed.
    func look(isForced: Bool) throws(SourceError) -> ScreenLook

    /// What the last look has found.
    var pixels: ScreenPixels { get }

    /// Waits for the next look.
    ///
    /// - Parameters:
    ///   - due: When that is.
    ///   - cancellation: Ends the wait.
    /// - Returns: Whether it was ended.
    /// - Throws: `SourceError` when there is nothing to be seen any more.
    func wait(until due: ClockTime, unless cancellation: Cancellation) throws(SourceError) -> Bool
}
