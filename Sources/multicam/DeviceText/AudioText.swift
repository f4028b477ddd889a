import Foundation
import Monitoring

/// How microphones audio, in few words.
enum AudioText {
    /// `−23.1 LUFS`.
    static func loudness(_ value: Double) -> String {
        String(format: "%.1f LUFS", value).replacingOccurrences(of: "-", with: "−")
    }

    static func word(_ alarm: AudioAlarm.Kind) -> String {
        switch alarm {
        case .noSignal: "NO SIGNAL"
        case .silence: "SILENT"
        case .clipping: "TOO LOUD"
        }
    }
}
