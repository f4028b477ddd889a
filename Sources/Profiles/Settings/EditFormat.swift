/// A format of projects for editors.
public enum EditFormat: String, Sendable, Codable, CaseIterable {
    /// FCPXML 1.10: Final Cut Pro, DaVinci Resolve.
    case fcpxml
    /// OpenTimelineIO: Premiere Pro, DaVinci Resolve.
    case otio
    /// MLT XML: Kdenlive, Shotcut, melt.
    case mlt
    /// CMX 3600: everything else.
    case edl
}
