/// The limit between short and long runs of repeated ticks.
public enum FrameRun {
    /// The longest run of ticks that an encoder repeats one by one. A longer run costs an encoder no more than about as
    /// many ticks do (`VideoEncoding.repeatLast(ticks:)`).
    public static let longestSingly = 8
}
