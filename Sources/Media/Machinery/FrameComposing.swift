/// Composes layers into frames that nobody encodes. Used by one thread alone.
public protocol FrameComposing: AnyObject {
    /// Composes the layers, the first at the bottom.
    ///
    /// - Parameters:
    ///   - layers: From bottom to top, inside the frame's size.
    ///   - time: The frame's time on the session clock.
    ///   - sequence: The frame's number.
    /// - Returns: A frame of I420 in memory of its own.
    /// - Throws: `EncodingError` when a layer is not inside the frame, or memory is short.
    func compose(_ layers: [FrameLayer], at time: ClockTime, sequence: Int64) throws(EncodingError)
        -> CapturedFrame
}
