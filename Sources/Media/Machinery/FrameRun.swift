/// How many ticks in a row an encoder repeats one by one.
public enum FrameRun {
    /// A longer run costs an encoder no more than about as many ticks do: see `VideoEncoding.repeatLast(ticks:)`.
    public static let longestSingly = 8
}
