import Foundation
import Monitoring

/// How microphones sound, in few words.
enum SoundText {
    /// `−23.1 LUFS`.
    static func loudness(_ value: Double) -> String {
        String(format: "%.1f LUFS", value).replacingOccurrences(of: "-", with: "−")
    }

    static func word(_ alarm: SoundAlarm.Kind) -> String {
        switch alarm {
        case .noSignal: "NO SIGNAL"
        case .silence: "SILENT"
        case .clipping: "TOO LOUD"
        }
    }
}
