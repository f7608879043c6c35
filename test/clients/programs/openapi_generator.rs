// Calls with the client that openapi-generator writes for Rust.

use openapi::apis::{chat_api, configuration::Configuration, files_api, images_api, universal_tasks_api, Error};
use openapi::models::{self, JobStatus};
use serde::de::DeserializeOwned;
use serde_json::json;

fn read<Value: DeserializeOwned>(value: serde_json::Value) -> Value {
    serde_json::from_value(value).unwrap()
}

fn ask(model: &str) -> models::ChatRequest {
    read(json!({"model": model, "messages": [{"role": "user", "content": "Hello!"}]}))
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut gateway = Configuration::new();
    gateway.base_path = std::env::var("GATEWAY_URL").unwrap();
    gateway.bearer_access_token = Some(std::env::var("GATEWAY_KEY").unwrap());
    chats(&gateway).await;
    files(&gateway).await;
    tasks(&gateway).await;
}

async fn chats(gateway: &Configuration) {
    let chat = chat_api::post_chat_completions(gateway, ask("sandbox/echo"), None, None).await.unwrap();
    assert_eq!(chat.choices[0].message.content, Some("Hello!".to_string()));
    // The client cannot read events. It says so after it has read the whole answer, so there is nothing to stream here.
    let mut question = ask("sandbox/echo");
    question.stream = Some(true);
    assert!(chat_api::post_chat_completions(gateway, question, None, None).await.is_err());
    match chat_api::post_chat_completions(gateway, ask("unknown/nothing"), None, None).await {
        Err(Error::ResponseError(refused)) => assert_eq!(refused.status.as_u16(), 404),
        _ => panic!("an unknown model was accepted"),
    }
    let texts = read(json!({"model": "openai/text-embedding-3-small", "input": ["Hello!"]}));
    assert_eq!(universal_tasks_api::post_embeddings(gateway, texts, None).await.unwrap().data.len(), 1);
    let door = read(json!({"model": "sandbox/image", "prompt": "A door"}));
    assert_eq!(images_api::post_images_generations(gateway, door, None, None).await.unwrap().data.len(), 1);
}

async fn files(gateway: &Configuration) {
    std::fs::write("hello.txt", "Hello").unwrap();
    let uploaded = files_api::post_upload(gateway, "hello.txt".into(), Some("test"), None, None).await.unwrap();
    let content = files_api::get_upload_by_file_id_content(gateway, &uploaded.file_id.to_string()).await.unwrap();
    assert_eq!(content.text().await.unwrap(), "Hello");
}

async fn tasks(gateway: &Configuration) {
    let moderation = json!({"model": "text/moderation/sandbox", "input": {"text": "Hello"}});
    let task = universal_tasks_api::post_universal_ai(gateway, read(moderation.clone()), None).await.unwrap();
    assert_eq!(task.status, models::universal_response::Status::Success);
    let mut job = universal_tasks_api::post_universal_ai_async(gateway, read(moderation), None).await.unwrap();
    while job.status == JobStatus::Processing {
        std::thread::sleep(std::time::Duration::from_millis(50));
        job = universal_tasks_api::get_universal_ai_async_by_job_id(gateway, &job.job_id.to_string()).await.unwrap();
    }
    assert_eq!(job.status, JobStatus::Success);
    let info = universal_tasks_api::get_info_by_feature_by_subfeature(gateway, "text", "moderation", None).await.unwrap();
    assert_eq!(info.subfeature_fullname, "Text: Moderation");
}
