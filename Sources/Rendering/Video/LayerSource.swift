internal import Media

/// Gives the layers of each tick of a picture. Used by one thread alone.
protocol LayerSource: AnyObject {
    /// Makes the layers of a tick.
    ///
    /// - Parameter tick: A tick, counted from T0. Ticks that follow each other cost least.
    /// - Returns: The layers, from the back to the front.
    func layers(at tick: Int64) -> [FrameLayer]

    /// What could not be read so far, as sentences.
    var faults: [String] { get }
}
