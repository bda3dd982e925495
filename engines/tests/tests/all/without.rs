use rntuple_engine_tests::{NO_FILES, Sample, failure, local_with, tables_of_others};

use crate::alone;

/// What a session without a store gives, others have read and written.
#[test]
fn a_session_opens_no_file_of_a_store_that_it_was_not_given() {
    alone(async {
        let sample = Sample::write();
        let context = local_with(NO_FILES);
        tables_of_others(&context, &sample).await;
        let to = sample.path("skim.root");
        let copy = format!("COPY (SELECT 1 AS a) TO '{}'", to.display());
        for query in ["SELECT sum(number) FROM events", "SELECT sum(number) FROM version", &copy] {
            let error = failure(&context, query).await;
            assert!(error.contains("--store file://"), "{query}: {error}");
        }
        assert!(!to.exists());
    });
}
