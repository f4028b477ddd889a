internal import CMedia
public import Media

/// Makes a slate that is a frame of its own, for a window that has no other to show.
public enum SlateFrame {
    /// Draws a slate. Tens of milliseconds the first time, since the machine's fonts are read.
    ///
    /// - Parameters:
    ///   - caption: The words on the slate.
    ///   - size: Width × height in pixels, both at least 2.
    /// - Returns: An I420 frame in the colours of JPEG that owns its memory.
    public static func frame(_ caption: SlateCaption, size: FrameSize) -> CapturedFrame {
        let (planes, byteCount) = FramePlane.packed(.i420, size)
        let memory = SharedBytes(count: byteCount)
        Planes(i420: memory, size: size).paintSlate(caption, in: .jpeg)
        return CapturedFrame(
            pixel: .i420, size: size, color: .jpeg, capturedAt: MonotonicClock().now, sequence: 0,
            memory: memory, planes: planes, isOwned: true)
    }
}
