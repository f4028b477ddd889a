internal import Media
internal import SessionFolder

extension CameraMetadata {
    /// The metadata as one line of `cameras/ROLE.ndjson`, without its line end. All times are in nanoseconds; unknown
    /// fields are absent.
    ///
    /// - `sequence`: The device's own count of frames; of lost frames the first one's.
    /// - `captured_ns`: Capture time since T0, by the model of the camera's clock and less its latency.
    /// - `stamp_ns`: The driver's time stamp for the start of the exposure, since T0.
    /// - `arrival_ns`: When the frame was taken from the driver, since T0.
    /// - `lost`: Why the frame is not in the recording: a word of the manifest's ledger.
    /// - `count`: How many frames were lost in a row, when more than one.
    /// - `uvc`: The clock of the frame's first USB packet: `pts` and `stc` by the camera's clock, `sof` the bus's
    ///   frame number that the camera saw, `host_ns` and `host_sof` the driver's clock (`CLOCK_MONOTONIC`: less the
    ///   manifest's `t0_monotonic_ns` it is since T0) and the controller's frame number.
    var line: String {
        var fields: [String: JSONValue] = ["captured_ns": .integer(capturedAt.nanoseconds)]
        fields["sequence"] = sequence.map { .integer($0) }
        fields["stamp_ns"] = stamp.map { .integer($0.nanoseconds) }
        fields["arrival_ns"] = arrival.map { .integer($0.nanoseconds) }
        fields["lost"] = lost.map { .string($0.rawValue) }
        if count > 1 { fields["count"] = .integer(Int64(count)) }
        fields["uvc"] = headerClock.map { .object(Self.fields(of: $0)) }
        return JSONText.line(JSONValue.object(fields))
    }

    private static func fields(of clock: UVCHeaderClock) -> [String: JSONValue] {
        var fields: [String: JSONValue] = [
            "host_ns": .integer(clock.hostTime.nanoseconds), "host_sof": .integer(Int64(clock.hostFrame)),
        ]
        fields["pts"] = clock.presentationTime.map { .integer(Int64($0)) }
        fields["stc"] = clock.sourceClock.map { .integer(Int64($0)) }
        fields["sof"] = clock.busFrame.map { .integer(Int64($0)) }
        return fields
    }
}
